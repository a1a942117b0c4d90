// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/cluster"
)

const (
	outputText = "text"
	outputJSON = "json"
)

func addOutput(command *cobra.Command, output *string) {
	command.Flags().StringVarP(output, "output", "o", outputText, "form of the output: text or json")
}

func checkOutput(output string) error {
	if output != outputText && output != outputJSON {
		return fmt.Errorf("cannot print as %q: use text or json", output)
	}
	return nil
}

func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

func printStatus(out io.Writer, status *cluster.Status) {
	var pools []string
	for _, pool := range status.Pools {
		pools = append(pools, fmt.Sprintf("%d %s", pool.Nodes, pool.Accelerator))
	}
	ready := "ready"
	if !status.Ready {
		ready = "not ready"
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	row := func(line string) { _, _ = fmt.Fprintln(table, line) }
	row("API server\t" + status.Server + " (" + ready + ")")
	row("Kubernetes\t" + status.Kubernetes)
	row("Volcano\t" + status.Volcano)
	row("nodes\t" + strings.Join(pools, ", "))
	row("kubeconfig\t" + status.Kubeconfig)
	_ = table.Flush()

	table = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	row("\nPROCESS\tPID\tSTATE\tLOG")
	for _, process := range status.Processes {
		state := "running"
		if !process.Running {
			state = "DEAD"
		}
		row(fmt.Sprintf("%s\t%d\t%s\t%s", process.Name, process.PID, state, process.Log))
	}
	_ = table.Flush()
}
