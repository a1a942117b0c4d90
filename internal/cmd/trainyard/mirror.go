// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/spf13/cobra"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
	"github.com/trainyard/terraform-provider-trainyard/internal/mirror"
	"github.com/trainyard/terraform-provider-trainyard/internal/progress"
)

func newMirror(entries entries) *cobra.Command {
	command := &cobra.Command{
		Use:   "mirror",
		Short: "Carry charts and images to where there is no network",
		Args:  cobra.NoArgs,
	}
	command.AddCommand(newList(entries), newPull(entries), newPush())
	return command
}

func newList(entries entries) *cobra.Command {
	var selection selection
	var asJSON bool
	command := &cobra.Command{
		Use:   "list",
		Short: "Print the charts and images that a configuration or the catalogue needs",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			need, err := selection.need(command, entries)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(command.OutOrStdout(), need)
			}
			return printLines(command.OutOrStdout(), need)
		},
	}
	selection.add(command)
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func printLines(out io.Writer, need mirror.Need) error {
	for _, chart := range need.Charts {
		if _, err := fmt.Fprintln(out, strings.TrimSpace(fmt.Sprintf("chart %s %s %s %s", chart.Repository+chart.Registry, chart.Name, chart.Version, chart.Digest))); err != nil {
			return err
		}
	}
	for _, image := range need.Images {
		if _, err := fmt.Fprintln(out, "image", image); err != nil {
			return err
		}
	}
	return nil
}

func printJSON(out io.Writer, need mirror.Need) error {
	type chart struct {
		Repository string `json:"repository,omitempty"`
		Registry   string `json:"registry,omitempty"`
		Name       string `json:"name"`
		Version    string `json:"version"`
		Digest     string `json:"digest,omitempty"`
	}
	list := struct {
		Charts []chart  `json:"charts"`
		Images []string `json:"images"`
	}{Charts: []chart{}, Images: append([]string{}, need.Images...)}
	for _, source := range need.Charts {
		list.Charts = append(list.Charts, chart{source.Repository, source.Registry, source.Name, source.Version, source.Digest})
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}

func newPull(entries entries) *cobra.Command {
	var selection selection
	var to, cache, platform string
	command := &cobra.Command{
		Use:   "pull",
		Short: "Fill a folder; run again after an interruption, it goes on where it stopped",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			need, err := selection.need(command, entries)
			if err != nil {
				return err
			}
			pull := mirror.Pull{Store: chartstore.New(cache, ""), Keychain: authn.DefaultKeychain, Small: fetch.Small, Large: fetch.Large}
			if platform != "" {
				pull.Platform, err = v1.ParsePlatform(platform)
				if err != nil || pull.Platform.OS == "" || pull.Platform.Architecture == "" {
					return fmt.Errorf("--platform: %q is not a platform, such as linux/amd64", platform)
				}
			}
			bar := newBar(command, need.Jobs())
			defer bar.Close()
			return pull.Into(command.Context(), to, need, bar)
		},
	}
	selection.add(command)
	command.Flags().StringVar(&to, "to", "", "folder to fill")
	command.Flags().StringVar(&cache, "cache", "", "folder that keeps charts (default: the provider's, in the user's cache)")
	command.Flags().StringVar(&platform, "platform", "", "take only this platform of images for several, such as linux/amd64 (default: all, which keeps their digests)")
	must(command.MarkFlagRequired("to"))
	return command
}

func newPush() *cobra.Command {
	var from string
	var push mirror.Push
	command := &cobra.Command{
		Use:   "push",
		Short: "Load a folder into a registry; what is there is left as it is",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := chartstore.CheckMirror(push.Charts); err != nil || !strings.HasPrefix(push.Charts, "oci://") {
				return fmt.Errorf("--to: %q is not the address of an OCI registry, such as oci://registry.example.com/mirror", push.Charts)
			}
			if push.Images == "" {
				push.Images = strings.TrimPrefix(push.Charts, "oci://")
			}
			need, err := mirror.Contents(from)
			if err != nil {
				return err
			}
			push.Keychain = authn.DefaultKeychain
			bar := newBar(command, need.Jobs())
			defer bar.Close()
			return push.From(command.Context(), from, bar)
		},
	}
	command.Flags().StringVar(&from, "from", "", "folder that trainyard mirror pull has filled")
	command.Flags().StringVar(&push.Charts, "to", "", "registry for the charts: oci://host/path")
	command.Flags().StringVar(&push.Images, "images", "", "registry for the images: host/path (default: that of the charts)")
	must(command.MarkFlagRequired("from"))
	must(command.MarkFlagRequired("to"))
	return command
}

// newBar reports on standard error, so that standard output is the result alone.
func newBar(command *cobra.Command, total int) *progress.Bar {
	if file, ok := command.ErrOrStderr().(*os.File); ok {
		return progress.New(file, total)
	}
	return progress.Lines(command.ErrOrStderr(), total)
}

// must is for what only a mistake in this program makes fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
