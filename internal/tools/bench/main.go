// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Command bench measures what creating, planning and destroying many teams and queues, many
// releases of a chart, or the labels of many nodes, costs on a testbed, beside the cost of
// resources that do nothing. It prints one line of JSON, described at Report, HelmReport and
// NodesReport, on standard output.
//
// It needs KUBECONFIG to name a cluster that it may fill, and is started by bench-plan.sh,
// bench-helm.sh and bench-cluster.sh in internal/tools/scripts.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	var options Options
	flag.IntVar(&options.Teams, "teams", 1000, "number of teams")
	flag.IntVar(&options.Queues, "queues", 1000, "number of queues")
	flag.IntVar(&options.Runs, "runs", 3, "runs of each plan, of which the median counts")
	flag.StringVar(&options.Terraform, "terraform", "terraform", "path of terraform or tofu")
	flag.StringVar(&options.Kubectl, "kubectl", "kubectl", "path of kubectl")
	flag.StringVar(&options.CLIConfig, "cli-config", "", "CLI configuration that installs the provider")
	flag.StringVar(&options.Chart, "chart", "", "folder of a chart: measure releases of it instead of teams and queues")
	flag.IntVar(&options.Releases, "releases", 20, "number of releases")
	flag.IntVar(&options.Revisions, "revisions", 50, "revisions that each release has")
	flag.IntVar(&options.Nodes, "nodes", 0, "number of nodes that the testbed has: measure their labels instead of teams and queues")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	report, err := measure(ctx, options)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, options Options) (any, error) {
	if options.Nodes > 0 {
		return MeasureNodes(ctx, options)
	}
	if options.Chart != "" {
		return MeasureHelm(ctx, options)
	}
	return Measure(ctx, options)
}
