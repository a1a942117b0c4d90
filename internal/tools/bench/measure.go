// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Options say what is measured, and with which programs.
type Options struct {
	Teams, Queues, Runs           int
	Terraform, Kubectl, CLIConfig string
	// Chart is the folder of a chart, of which Releases are made with Revisions each.
	Chart               string
	Releases, Revisions int
	// Nodes is how many nodes the testbed has, all of one pool.
	Nodes int
}

// Report is the result. Seconds are wall time to the millisecond, medians where a step ran more than once;
// requests are those that the API server dispatched for the provider, by its own metrics.
type Report struct {
	Teams              int     `json:"teams"`
	Queues             int     `json:"queues"`
	CreateSeconds      float64 `json:"create_seconds"`
	CreateRequests     int     `json:"create_requests"`
	PlanSeconds        float64 `json:"plan_seconds"`
	PlanRequests       int     `json:"plan_requests"`
	DriftPlanSeconds   float64 `json:"drift_plan_seconds"`
	DeletePlanSeconds  float64 `json:"delete_plan_seconds"`
	DestroySeconds     float64 `json:"destroy_seconds"`
	ProviderPeakMiB    int     `json:"provider_peak_mib"`
	StateBytes         int64   `json:"state_bytes"`
	FloorCreateSeconds float64 `json:"floor_create_seconds"`
	FloorPlanSeconds   float64 `json:"floor_plan_seconds"`
}

// bench is what the steps share.
type bench struct {
	Options
	cluster         *cluster
	platform, floor *workspace
	report          Report
}

// Measure fills the cluster, measures, and empties it again.
func Measure(ctx context.Context, options Options) (*Report, error) {
	dir, err := os.MkdirTemp("", "trainyard-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	c := &cluster{kubectl: options.Kubectl}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := c.identify(ctx, kubeconfig); err != nil {
		return nil, err
	}
	b := &bench{Options: options, cluster: c, report: Report{Teams: options.Teams, Queues: options.Queues}}
	variables := []string{
		"teams=" + strconv.Itoa(options.Teams), "queues=" + strconv.Itoa(options.Queues), "kubeconfig_path=" + kubeconfig,
	}
	if b.platform, err = newWorkspace(ctx, filepath.Join(dir, "platform"), "platform.tf", options, variables...); err != nil {
		return nil, err
	}
	if b.floor, err = newWorkspace(ctx, filepath.Join(dir, "floor"), "floor.tf", options, variables...); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{b.create, b.plan, b.drift, b.deleted, b.destroy} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &b.report, nil
}

func (b *bench) create(ctx context.Context) error {
	before, err := b.cluster.requests(ctx)
	if err != nil {
		return err
	}
	created, err := b.platform.run(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	after, err := b.cluster.requests(ctx)
	if err != nil {
		return err
	}
	floor, err := b.floor.run(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	b.report.CreateSeconds, b.report.CreateRequests = created.seconds, after-before
	b.report.FloorCreateSeconds = floor.seconds
	b.see(created)
	b.report.StateBytes, err = b.platform.stateBytes()
	return err
}

// plan interleaves plans of both workspaces, so that a machine that grows slower does so
// for both.
func (b *bench) plan(ctx context.Context) error {
	var plans, floors []float64
	for range b.Runs {
		before, err := b.cluster.requests(ctx)
		if err != nil {
			return err
		}
		planned, err := b.platform.run(ctx, noChange, "plan", "-detailed-exitcode")
		if err != nil {
			return err
		}
		after, err := b.cluster.requests(ctx)
		if err != nil {
			return err
		}
		floor, err := b.floor.run(ctx, noChange, "plan", "-detailed-exitcode")
		if err != nil {
			return err
		}
		b.report.PlanRequests = max(b.report.PlanRequests, after-before)
		b.see(planned)
		plans, floors = append(plans, planned.seconds), append(floors, floor.seconds)
	}
	b.report.PlanSeconds, b.report.FloorPlanSeconds = median(plans), median(floors)
	return nil
}

// drift changes a queue by hand, plans, and repairs it.
func (b *bench) drift(ctx context.Context) error {
	if b.Queues == 0 {
		return nil
	}
	patch := `{"spec":{"capability":{"nvidia.com/gpu":"4"}}}`
	seconds, err := b.afterHand(ctx, "patch", "queues.scheduling.volcano.sh", "bench-0000", "--type=merge", "-p", patch)
	b.report.DriftPlanSeconds = seconds
	return err
}

// deleted deletes a team's network policies by hand, plans, and repairs it.
func (b *bench) deleted(ctx context.Context) error {
	if b.Teams == 0 {
		return nil
	}
	seconds, err := b.afterHand(ctx, "delete", "networkpolicies", "--all", "-n", "bench-0000")
	b.report.DeletePlanSeconds = seconds
	return err
}

func (b *bench) afterHand(ctx context.Context, kubectl ...string) (float64, error) {
	if _, err := b.cluster.run(ctx, "", kubectl...); err != nil {
		return 0, err
	}
	var plans []float64
	for range b.Runs {
		planned, err := b.platform.run(ctx, change, "plan", "-detailed-exitcode")
		if err != nil {
			return 0, fmt.Errorf("after kubectl %v: %w", kubectl, err)
		}
		b.see(planned)
		plans = append(plans, planned.seconds)
	}
	_, err := b.platform.run(ctx, 0, "apply", "-auto-approve")
	return median(plans), err
}

func (b *bench) destroy(ctx context.Context) error {
	destroyed, err := b.platform.run(ctx, 0, "destroy", "-auto-approve")
	if err != nil {
		return err
	}
	b.see(destroyed)
	b.report.DestroySeconds = destroyed.seconds
	return nil
}

func (b *bench) see(o outcome) {
	b.report.ProviderPeakMiB = max(b.report.ProviderPeakMiB, o.peakMiB)
}
