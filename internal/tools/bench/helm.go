// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// HelmReport is the result for releases of a chart. Requests and bytes are those of one plan of
// unchanged releases, in which every live object is checked: read_requests by the API server's
// own metrics, chart_requests by the chart repository, bytes_read on the wire.
type HelmReport struct {
	Releases         int     `json:"releases"`
	Revisions        int     `json:"revisions"`
	Kinds            int     `json:"kinds"`
	ReadRequests     int     `json:"read_requests"`
	ChartRequests    int64   `json:"chart_requests"`
	BytesRead        int64   `json:"bytes_read"`
	PlanSeconds      float64 `json:"plan_seconds"`
	FloorPlanSeconds float64 `json:"floor_plan_seconds"`
	ProviderPeakMiB  int     `json:"provider_peak_mib"`
	InstallSeconds   float64 `json:"install_seconds"`
	InstallRequests  int     `json:"install_requests"`
	InstallFetches   int64   `json:"install_chart_requests"`
	UpgradeSeconds   float64 `json:"upgrade_seconds"`
	BallastKinds     int     `json:"ballast_kinds"`
	BallastPlanExtra int     `json:"ballast_plan_extra_requests"`
	StateBytes       int64   `json:"state_bytes"`
}

// helmBench is what the steps share.
type helmBench struct {
	Options
	cluster         *cluster
	charts          *repository
	meter           *meter
	releases, floor *workspace
	report          HelmReport
}

// MeasureHelm installs releases, gives them a history, upgrades them, measures plans, and
// removes them again. The history is made of copies of Helm's first record, marked as replaced.
func MeasureHelm(ctx context.Context, options Options) (*HelmReport, error) {
	dir, err := os.MkdirTemp("", "trainyard-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &helmBench{
		Options: options, cluster: &cluster{kubectl: options.Kubectl},
		report: HelmReport{Releases: options.Releases, Revisions: options.Revisions},
	}
	if err := b.prepare(ctx, dir); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{b.install, b.upgrade, b.plan, b.ballast, b.destroy} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &b.report, nil
}

func (b *helmBench) prepare(ctx context.Context, dir string) (err error) {
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err = b.cluster.identify(ctx, kubeconfig); err != nil {
		return err
	}
	if b.meter, err = newMeter(kubeconfig); err != nil {
		return err
	}
	if b.charts, err = serveChart(b.Chart); err != nil {
		return err
	}
	variables := []string{
		"releases=" + strconv.Itoa(b.Releases), "kubeconfig_path=" + b.meter.Kubeconfig, "cache_dir=" + filepath.Join(dir, "charts"),
		"repository=" + b.charts.URL, "chart=" + b.charts.Name, "chart_version=" + b.charts.Version, "digest=" + b.charts.Digest,
	}
	if b.releases, err = newWorkspace(ctx, filepath.Join(dir, "releases"), "helm.tf", b.Options, variables...); err != nil {
		return err
	}
	b.floor, err = newWorkspace(ctx, filepath.Join(dir, "floor"), "helm_floor.tf", b.Options, variables...)
	return err
}

func (b *helmBench) install(ctx context.Context) error {
	before, err := b.cluster.requests(ctx)
	if err != nil {
		return err
	}
	installed, err := b.releases.run(ctx, 0, "apply", "-auto-approve", "-var=revision=1")
	if err != nil {
		return err
	}
	after, err := b.cluster.requests(ctx)
	if err != nil {
		return err
	}
	b.see(installed)
	b.report.InstallSeconds, b.report.InstallRequests = installed.seconds, after-before
	b.report.InstallFetches = b.charts.requests.Load()
	if b.report.Kinds, err = b.kinds(ctx); err != nil {
		return err
	}
	_, err = b.floor.run(ctx, 0, "apply", "-auto-approve")
	return err
}

// kinds counts the kinds among the releases' objects, by what the first apply says it made.
func (b *helmBench) kinds(ctx context.Context) (int, error) {
	command := exec.CommandContext(ctx, b.Terraform, "show", "-json")
	command.Dir, command.Env = b.releases.dir, b.releases.env
	text, err := command.Output()
	if err != nil {
		return 0, fmt.Errorf("show the state: %w", err)
	}
	var shown struct {
		Values struct {
			Root struct {
				Resources []struct {
					Values struct{ Changes []string }
				}
			} `json:"root_module"`
		}
	}
	if err := json.Unmarshal(text, &shown); err != nil {
		return 0, fmt.Errorf("read the state: %w", err)
	}
	kinds := map[string]bool{}
	for _, resource := range shown.Values.Root.Resources {
		for _, line := range resource.Values.Changes {
			if words := strings.Fields(line); len(words) > 1 && (words[0] == "create" || words[0] == "apply") {
				kinds[words[1]] = true
			}
		}
	}
	return len(kinds), nil
}

// upgrade gives every release its history, and upgrades it to its last revision.
func (b *helmBench) upgrade(ctx context.Context) error {
	text, err := b.cluster.run(ctx, "", "get", "secrets", "--all-namespaces", "-l", "owner=helm", "-o", "json")
	if err != nil {
		return err
	}
	copies, err := history(text, b.Revisions-1)
	if err != nil {
		return err
	}
	for _, list := range copies {
		if _, err := b.cluster.run(ctx, list, "create", "-f", "-"); err != nil {
			return err
		}
	}
	upgraded, err := b.releases.run(ctx, 0, "apply", "-auto-approve", fmt.Sprintf("-var=revision=%d", b.Revisions))
	b.see(upgraded)
	b.report.UpgradeSeconds = upgraded.seconds
	return err
}

// history writes, for each of Helm's records in a list, the revisions from the second to last
// as a list of their own.
func history(text string, last int) (lists []string, err error) {
	var records struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(text), &records); err != nil {
		return nil, fmt.Errorf("read Helm's records: %w", err)
	}
	for _, record := range records.Items {
		metadata, _ := record["metadata"].(map[string]any)
		labels, _ := metadata["labels"].(map[string]any)
		var items []any
		for revision := 2; revision <= last; revision++ {
			item := maps.Clone(record)
			marked := maps.Clone(labels)
			marked["status"], marked["version"] = "superseded", strconv.Itoa(revision)
			item["metadata"] = map[string]any{
				"name": fmt.Sprintf("sh.helm.release.v1.%v.v%d", labels["name"], revision), "namespace": metadata["namespace"], "labels": marked,
			}
			items = append(items, item)
		}
		list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
		if err != nil {
			return nil, err
		}
		lists = append(lists, string(list))
	}
	return lists, nil
}

func (b *helmBench) plan(ctx context.Context) (err error) {
	var plans, floors []float64
	for range b.Runs {
		seconds, requests, err := b.planOnce(ctx)
		if err != nil {
			return err
		}
		floor, err := b.floor.run(ctx, noChange, "plan", "-detailed-exitcode")
		if err != nil {
			return err
		}
		b.report.ReadRequests = max(b.report.ReadRequests, requests)
		plans, floors = append(plans, seconds), append(floors, floor.seconds)
	}
	b.report.PlanSeconds, b.report.FloorPlanSeconds = median(plans), median(floors)
	b.report.StateBytes, err = b.releases.stateBytes()
	return err
}

func (b *helmBench) planOnce(ctx context.Context) (seconds float64, requests int, err error) {
	before, err := b.cluster.requests(ctx)
	if err != nil {
		return 0, 0, err
	}
	bytes, fetches := b.meter.read.Load(), b.charts.requests.Load()
	planned, err := b.releases.run(ctx, noChange, "plan", "-detailed-exitcode", fmt.Sprintf("-var=revision=%d", b.Revisions))
	if err != nil {
		return 0, 0, err
	}
	b.report.BytesRead = b.meter.read.Load() - bytes
	b.report.ChartRequests = b.charts.requests.Load() - fetches
	b.report.ProviderPeakMiB = planned.peakMiB
	after, err := b.cluster.requests(ctx)
	return planned.seconds, after - before, err
}

// ballastKinds is how many definitions are laid into the cluster that no release uses.
const ballastKinds = 1000

// ballast measures what a thousand definitions of others add to a plan.
func (b *helmBench) ballast(ctx context.Context) error {
	var manifests strings.Builder
	for i := range ballastKinds {
		fmt.Fprintf(&manifests, ballastManifest, i)
	}
	if _, err := b.cluster.run(ctx, manifests.String(), "create", "-f", "-"); err != nil {
		return err
	}
	_, requests, err := b.planOnce(ctx)
	b.report.BallastKinds, b.report.BallastPlanExtra = ballastKinds, requests-b.report.ReadRequests
	return err
}

const ballastManifest = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ballast%[1]ds.bench.example.org}
spec:
  group: bench.example.org
  scope: Namespaced
  names: {kind: Ballast%[1]d, listKind: Ballast%[1]dList, plural: ballast%[1]ds, singular: ballast%[1]d}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

func (b *helmBench) destroy(ctx context.Context) error {
	_, err := b.releases.run(ctx, 0, "destroy", "-auto-approve", fmt.Sprintf("-var=revision=%d", b.Revisions))
	return err
}

func (b *helmBench) see(o outcome) {
	b.report.ProviderPeakMiB = max(b.report.ProviderPeakMiB, o.peakMiB)
}
