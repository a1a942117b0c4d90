// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Command trainyard prepares what Terraform cannot: it carries charts and images to where
// there is no network, and keeps the catalogue up to date.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand(embedded{}).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "trainyard:", err)
		stop()
		os.Exit(1)
	}
}

func newCommand(entries entries) *cobra.Command {
	command := &cobra.Command{
		Use:           "trainyard",
		Short:         "Prepare what Trainyard's provider needs",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
	}
	command.AddCommand(newMirror(entries), newCatalog())
	return command
}
