// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/cluster"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/component"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/progress"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/volcanostandin"
)

func newDown() *cobra.Command {
	var stateDir string
	var keep, purge bool
	command := &cobra.Command{
		Use:   "down",
		Short: "End the testbed's processes and remove its state",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			err := cluster.Down(command.Context(), stateDir, keep)
			if errors.Is(err, cluster.ErrNoTestbed) {
				_, err = fmt.Fprintf(command.OutOrStdout(), "nothing to take down: %s\n", err)
			}
			return err
		},
	}
	addStateDir(command, &stateDir)
	command.Flags().BoolVar(&keep, "keep", false, "leave the state, so that up goes on from there")
	command.Flags().BoolVar(&purge, "purge", true, "remove the state")
	command.MarkFlagsMutuallyExclusive("keep", "purge")
	return command
}

func newStatus() *cobra.Command {
	var stateDir, output string
	command := &cobra.Command{
		Use:   "status",
		Short: "Show what runs; fails when a process has died or the API server is not ready",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			status, err := cluster.Inspect(command.Context(), stateDir)
			if err != nil {
				return err
			}
			if output == outputJSON {
				if err := printJSON(command.OutOrStdout(), status); err != nil {
					return err
				}
			} else {
				printStatus(command.OutOrStdout(), status)
			}
			return verdict(status)
		},
	}
	addStateDir(command, &stateDir)
	addOutput(command, &output)
	return command
}

// verdict is an error when the testbed is not whole.
func verdict(status *cluster.Status) error {
	var dead []string
	for _, process := range status.Dead() {
		dead = append(dead, fmt.Sprintf("%s (its log: %s)", process.Name, process.Log))
	}
	switch {
	case len(dead) > 0:
		return fmt.Errorf("died: %s; testbed up starts it again", strings.Join(dead, ", "))
	case len(status.Processes) == 0:
		return errors.New("the testbed is down; testbed up starts it again")
	case !status.Ready:
		return fmt.Errorf("the API server at %s is not ready", status.Server)
	}
	return nil
}

func newBuild() *cobra.Command {
	var flags buildFlags
	command := &cobra.Command{
		Use:   "build",
		Short: "Build the programs of the control plane into the cache",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			builder, err := flags.builder(progress.New(os.Stderr))
			if err != nil {
				return err
			}
			paths, err := builder.Ensure(command.Context(), component.All()...)
			if err != nil {
				return err
			}
			for _, c := range component.All() {
				if _, err := fmt.Fprintln(command.OutOrStdout(), paths[c.Name]); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags.add(command)
	return command
}

func newStandin() *cobra.Command {
	var kubeconfig string
	command := &cobra.Command{
		Use:    "standin",
		Short:  "Stand in for Volcano's queue controller; up starts this by itself",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
			if err != nil {
				return fmt.Errorf("cannot read the kubeconfig: %w", err)
			}
			config.UserAgent = "volcano-standin"
			config.QPS, config.Burst = 500, 1000
			return volcanostandin.Run(command.Context(), config)
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	_ = command.MarkFlagRequired("kubeconfig")
	return command
}
