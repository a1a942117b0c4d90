// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/cluster"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/node"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/progress"
)

type upFlags struct {
	buildFlags
	stateDir, output, gpu string
	nodes, port           int
	pools                 []string
	audit                 bool
}

func newUp() *cobra.Command {
	var flags upFlags
	command := &cobra.Command{
		Use:   "up",
		Short: "Bring the testbed up, or repair and change one that is up",
		Long: `Bring the testbed up. On one that is up already it starts what has died and
changes what the flags ask for; what they leave out stays as it is.

With VOLCANO_BIN=FOLDER the real vc-scheduler, vc-controller-manager and
vc-webhook-manager found in that folder run, with the definitions in FOLDER/crd
if there are any; without it, a small stand-in for Volcano's queue controller does.`,
		Example: `  testbed up --nodes 16 --gpu h100
  testbed up --pool h100=8 --pool a100=4 --pool cpu=2`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return runUp(command, flags) },
	}
	addStateDir(command, &flags.stateDir)
	flags.add(command)
	command.Flags().IntVar(&flags.nodes, "nodes", cluster.DefaultPools[0].Nodes, "number of simulated nodes")
	command.Flags().StringVar(&flags.gpu, "gpu", cluster.DefaultPools[0].Accelerator, fmt.Sprintf("what they carry: one of %v", node.Accelerators()))
	command.Flags().StringArrayVar(&flags.pools, "pool", nil, "a pool as accelerator=nodes; repeat it for several, in place of --nodes and --gpu")
	command.Flags().IntVar(&flags.port, "port", 0, "port of the API server; 0 is any free one")
	command.Flags().BoolVar(&flags.audit, "audit", false, "write an audit log of every request to logs/audit.log")
	addOutput(command, &flags.output)
	command.MarkFlagsMutuallyExclusive("pool", "nodes")
	command.MarkFlagsMutuallyExclusive("pool", "gpu")
	return command
}

func runUp(command *cobra.Command, flags upFlags) error {
	if err := checkOutput(flags.output); err != nil {
		return err
	}
	pools, err := flags.wantedPools(command)
	if err != nil {
		return err
	}
	report := progress.New(os.Stderr)
	builder, err := flags.builder(report)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find the testbed program: %w", err)
	}
	options := cluster.Options{
		StateDir: flags.stateDir, Pools: pools, Port: flags.port,
		VolcanoBin: os.Getenv("VOLCANO_BIN"), Standin: program, Builder: builder, Progress: report,
	}
	if command.Flags().Changed("audit") {
		options.Audit = &flags.audit
	}
	status, err := cluster.Up(command.Context(), options)
	if err != nil {
		return err
	}
	if flags.output == outputJSON {
		return printJSON(command.OutOrStdout(), status)
	}
	printStatus(command.OutOrStdout(), status)
	_, err = fmt.Fprintf(command.OutOrStdout(), "\nexport KUBECONFIG=%s\n", status.Kubeconfig)
	return err
}

// wantedPools are the pools that the flags name; nil where they name none.
func (f upFlags) wantedPools(command *cobra.Command) ([]node.Pool, error) {
	if command.Flags().Changed("nodes") || command.Flags().Changed("gpu") {
		pools := []node.Pool{{Accelerator: f.gpu, Nodes: f.nodes}}
		return pools, node.Validate(pools)
	}
	var pools []node.Pool
	for _, text := range f.pools {
		pool, err := node.ParsePool(text)
		if err != nil {
			return nil, err
		}
		pools = append(pools, pool)
	}
	return pools, node.Validate(pools)
}
