// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

// published is a chart as its project publishes it, within a Go module.
type published struct {
	name, module, path string
	arguments          string
	// alone: what it brings to the whole cluster is in the way of the others.
	alone bool
}

// Published charts. No image of theirs runs on the testbed, whose nodes only say that pods are
// ready: what is tested is that the chart as it is installs, plans empty and goes.
var charts = []published{
	{
		name: "nvidia-device-plugin", module: "github.com/NVIDIA/k8s-device-plugin@v0.17.4", path: "deployments/helm/nvidia-device-plugin",
		arguments: `values = { gfd = { enabled = true } }`,
	},
	{name: "gpu-operator", module: "github.com/NVIDIA/gpu-operator@v0.0.0-20250917190837-d73a0086a6ba", path: "deployments/gpu-operator", alone: true}, // node feature discovery, as the plugin,
	{name: "kwok", module: "sigs.k8s.io/kwok@v0.8.0", path: "charts/kwok"},
	{name: "metallb", module: "go.universe.tf/metallb@v0.16.2", path: "charts/metallb"},
	{
		name: "cert-manager", module: "github.com/cert-manager/cert-manager@v1.21.2", path: "deploy/charts/cert-manager",
		arguments: `values = { crds = { enabled = true, keep = false } }`,
	},
	{name: "kubeflow-trainer", module: "github.com/kubeflow/trainer/v2@v2.0.0", path: "charts/kubeflow-trainer"},
	{name: "kueue", module: "sigs.k8s.io/kueue@v0.17.0", path: "charts/kueue", alone: true}, // webhooks before every Job,
}

// TestAccPublishedCharts runs by itself: webhooks of these charts stand before Jobs and Pods of
// every namespace, and nobody answers for them.
func TestAccPublishedCharts(t *testing.T) {
	bed := acctest.New(t)
	for _, chart := range charts {
		t.Run(chart.name, func(t *testing.T) {
			if !chart.alone {
				t.Parallel()
			}
			s := stageOn(t, bed.With(t))
			w := s.workspace(acctest.Owned(s.owner) + fmt.Sprintf(`
resource "trainyard_component" "this" {
  name      = %q
  namespace = %q
  chart     = { path = %q }
  delete    = { crds = true, volumes = true }
  timeouts  = { create = "180s", delete = "180s" }
  %s
}
`, chart.name, s.ns, filepath.Join(moduleDir(t, chart.module), chart.path), chart.arguments))
			w.Must(w.Apply(), 0)
			if !w.ready() {
				t.Errorf("not ready: %v", w.attributes()["status"])
			}
			if result := w.Plan(); result.Code != acctest.Empty {
				t.Errorf("the plan is not empty: %s", result.Text)
			}
			w.Must(w.Destroy(), 0)
			s.nothingLeft()
		})
	}
}

// moduleDir is the folder of a Go module, which the go command fetches where it is not there.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	var found struct{ Dir, Error string }
	if errJSON := json.Unmarshal(output, &found); errJSON != nil || found.Dir == "" {
		t.Fatalf("fetch %s: %v: %s", module, err, found.Error)
	}
	return found.Dir
}
