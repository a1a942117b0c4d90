// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Command testbed runs a real Kubernetes control plane with simulated GPU nodes
// on this machine.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/component"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/progress"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "testbed:", err)
		stop()
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	command := &cobra.Command{
		Use:           "testbed",
		Short:         "A real Kubernetes control plane with simulated GPU nodes on this machine",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
	}
	command.AddCommand(newUp(), newDown(), newStatus(), newBuild(), newStandin())
	return command
}

// addStateDir adds the flag that names the state folder.
func addStateDir(command *cobra.Command, dir *string) {
	command.Flags().StringVar(dir, "state-dir", defaultStateDir(), "folder that holds the testbed's state")
}

func defaultStateDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "trainyard", "testbed", "default")
}

// buildFlags say where programs are built from and kept.
type buildFlags struct{ cacheDir, moduleDir string }

func (f *buildFlags) add(command *cobra.Command) {
	cacheDir, err := component.DefaultCacheDir()
	if err != nil {
		cacheDir = ""
	}
	command.Flags().StringVar(&f.cacheDir, "cache-dir", cacheDir, "folder that keeps the built programs by version")
	command.Flags().StringVar(&f.moduleDir, "module-dir", "",
		"folder of the testbed's go.mod (default: looked for from the working folder and the program upwards)")
}

func (f *buildFlags) builder(report progress.Reporter) (*component.Builder, error) {
	if f.cacheDir == "" {
		return nil, fmt.Errorf("cannot find the user's cache folder: name one with --cache-dir")
	}
	return &component.Builder{ModuleDir: f.moduleDir, CacheDir: f.cacheDir, Progress: report}, nil
}
