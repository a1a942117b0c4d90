// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/trainyard/terraform-provider-trainyard/internal/mirror"
)

// selection is what a user wants mirrored.
type selection struct {
	names  []string
	all    bool
	plan   string
	images []string
}

func (s *selection) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringSliceVar(&s.names, "catalog", nil, "entries of the catalogue, with commas between them")
	flags.BoolVar(&s.all, "all", false, "the whole catalogue")
	flags.StringVar(&s.plan, "plan", "", `output of terraform show -json, of a plan or a state ("-" is standard input)`)
	flags.StringSliceVar(&s.images, "image", nil, "further images")
	command.MarkFlagsMutuallyExclusive("catalog", "all")
}

// need is what was selected. Doubts go to standard error.
func (s *selection) need(command *cobra.Command, entries entries) (mirror.Need, error) {
	if len(s.names) == 0 && !s.all && s.plan == "" && len(s.images) == 0 {
		return mirror.Need{}, errors.New("say what is needed, with --catalog, --all, --plan or --image")
	}
	need := mirror.Need{}
	if len(s.names) > 0 || s.all {
		ofCatalog, err := mirror.OfCatalog(entries, s.names...)
		if err != nil {
			return mirror.Need{}, err
		}
		need = ofCatalog
	}
	if s.plan != "" {
		ofPlan, err := s.readPlan(command.InOrStdin(), entries)
		if err != nil {
			return mirror.Need{}, err
		}
		if err := need.Add(ofPlan); err != nil {
			return mirror.Need{}, err
		}
	}
	if err := need.Add(mirror.Need{Images: s.images}); err != nil {
		return mirror.Need{}, err
	}
	for _, doubt := range need.Doubts {
		if _, err := fmt.Fprintln(command.ErrOrStderr(), "note:", doubt); err != nil {
			return mirror.Need{}, err
		}
	}
	return need, nil
}

func (s *selection) readPlan(in io.Reader, entries entries) (mirror.Need, error) {
	if s.plan == "-" {
		return mirror.OfTerraform(in, entries)
	}
	file, err := os.Open(s.plan)
	if err != nil {
		return mirror.Need{}, err
	}
	defer file.Close()
	return mirror.OfTerraform(file, entries)
}
