// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

func newCatalog() *cobra.Command {
	command := &cobra.Command{
		Use:   "catalog",
		Short: "Keep the catalogue of charts up to date",
		Args:  cobra.NoArgs,
	}
	command.AddCommand(newRefresh())
	return command
}

func newRefresh() *cobra.Command {
	var refresh refresh
	command := &cobra.Command{
		Use:   "refresh [NAME...]",
		Short: "Ask the repositories for newer versions and write them into the catalogue's files",
		RunE: func(command *cobra.Command, names []string) error {
			refresh.out = command.OutOrStdout()
			return refresh.run(command.Context(), names)
		},
	}
	command.Flags().StringVar(&refresh.dir, "dir", filepath.Join("internal", "catalog", "charts"), "folder of the catalogue's files")
	return command
}

// refresh rewrites the files of a catalogue.
type refresh struct {
	dir string
	out io.Writer
}

// run goes through the entries, one failure not keeping it from the others.
func (r refresh) run(ctx context.Context, names []string) error {
	files, err := r.files(names)
	if err != nil {
		return err
	}
	store := chartstore.New("", "")
	var failed []error
	for _, file := range files {
		if err := r.file(ctx, store, file); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", filepath.Base(file), err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

func (r refresh) files(names []string) ([]string, error) {
	if len(names) == 0 {
		files, err := filepath.Glob(filepath.Join(r.dir, "*.yaml"))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s holds no catalogue. Run this in the root of the source, or name the folder with --dir", r.dir)
		}
		return files, err
	}
	var files []string
	for _, name := range names {
		files = append(files, filepath.Join(r.dir, name+".yaml"))
	}
	return files, nil
}

func (r refresh) file(ctx context.Context, store *chartstore.Store, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	entry, err := catalog.DecodeChart(text)
	if err != nil || !entry.Installable() {
		return err
	}
	found, err := store.Versions(ctx, sourceOf(entry))
	if err != nil {
		return err
	}
	var index []catalog.IndexEntry
	for _, version := range found {
		index = append(index, catalog.IndexEntry{Version: version.Version, Digest: version.Digest, Deprecated: version.Deprecated})
	}
	fresh, changed := catalog.Refresh(entry, index)
	if fresh.Source.Digest == "" { // the repository gives none: take that of the archive
		chart, err := store.Find(ctx, sourceOf(fresh))
		if err != nil {
			return err
		}
		fresh.Source.Digest, fresh.Source.Unpinned = chart.Digest, ""
		changed = append(changed, "digest of the archive: "+chart.Digest)
	}
	for _, change := range changed {
		if _, err := fmt.Fprintf(r.out, "%s: %s\n", entry.Name, change); err != nil {
			return err
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return os.WriteFile(file, edit(text, entry, fresh), 0o644) //nolint:gosec // a source file, for all to read
}
