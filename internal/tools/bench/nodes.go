// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// NodesReport is the result for a cluster of many nodes. Seconds are wall time, medians where a
// step ran more than once; requests are those that the API server dispatched for the provider.
type NodesReport struct {
	Nodes int `json:"nodes"`
	// ApplyLabelSeconds is the whole apply that gives every node its labels and its taint.
	ApplyLabelSeconds  float64 `json:"apply_label_seconds"`
	ApplyLabelRequests int     `json:"apply_label_requests"`
	PlanSeconds        float64 `json:"plan_seconds"`
	PlanRequests       int     `json:"plan_requests"`
	FloorPlanSeconds   float64 `json:"floor_plan_seconds"`
	ProviderPeakMiB    int     `json:"provider_peak_mib"`
	// DestroySeconds is the destroy that takes all of it back.
	DestroySeconds float64 `json:"destroy_seconds"`
}

// MeasureNodes labels the nodes of a testbed, plans, and takes the labels back.
func MeasureNodes(ctx context.Context, options Options) (*NodesReport, error) {
	dir, err := os.MkdirTemp("", "trainyard-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c, kubeconfig := &cluster{kubectl: options.Kubectl}, filepath.Join(dir, "kubeconfig")
	if err := c.identify(ctx, kubeconfig); err != nil {
		return nil, err
	}
	variables := []string{"nodes=" + strconv.Itoa(options.Nodes), "kubeconfig_path=" + kubeconfig}
	platform, errPlatform := newWorkspace(ctx, filepath.Join(dir, "nodes"), "nodes.tf", options, variables...)
	floor, errFloor := newWorkspace(ctx, filepath.Join(dir, "floor"), "nodes_floor.tf", options, variables...)
	if err := errors.Join(errPlatform, errFloor); err != nil {
		return nil, err
	}
	report := &NodesReport{Nodes: options.Nodes}
	counted := func(w *workspace, want int, args ...string) (seconds float64, requests int, err error) {
		before, errBefore := c.requests(ctx)
		cost, errRun := w.run(ctx, want, args...)
		after, errAfter := c.requests(ctx)
		report.ProviderPeakMiB = max(report.ProviderPeakMiB, cost.peakMiB)
		return cost.seconds, after - before, errors.Join(errBefore, errRun, errAfter)
	}
	if report.ApplyLabelSeconds, report.ApplyLabelRequests, err = counted(platform, 0, "apply", "-auto-approve"); err != nil {
		return nil, err
	}
	if _, err := floor.run(ctx, 0, "apply", "-auto-approve"); err != nil {
		return nil, err
	}
	var plans, floors []float64
	for range options.Runs {
		seconds, requests, errPlan := counted(platform, noChange, "plan", "-detailed-exitcode")
		idle, errFloor := floor.run(ctx, noChange, "plan", "-detailed-exitcode")
		if err := errors.Join(errPlan, errFloor); err != nil {
			return nil, fmt.Errorf("plan: %w", err)
		}
		plans, floors = append(plans, seconds), append(floors, idle.seconds)
		report.PlanRequests = max(report.PlanRequests, requests)
	}
	report.PlanSeconds, report.FloorPlanSeconds = median(plans), median(floors)
	report.DestroySeconds, _, err = counted(platform, 0, "destroy", "-auto-approve")
	return report, err
}
