// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// pools are of every kind that asks something of a chart.
var pools = map[string]spec.Pool{
	"whole":  {Name: "whole", Accelerator: "h100", Fabric: "infiniband"},
	"cut":    {Name: "cut", Accelerator: "a100-80gb", Fabric: "roce", MIG: &spec.MIG{Strategy: "mixed", Profile: "1g.10gb"}, TimeSlices: 4},
	"single": {Name: "single", Accelerator: "h100", MIG: &spec.MIG{Strategy: "single", Profile: "3g.40gb"}},
	"shared": {Name: "shared", Accelerator: "l4", Fabric: "ethernet", TimeSlices: 8},
	"cpu":    {Name: "cpu"},
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// TestValues compares what charts get with what was read and found right. UPDATE=1 writes anew.
func TestValues(t *testing.T) {
	values := must[map[string]any](t)
	scheduler := spec.Scheduler{Shares: "capacity", Binpack: true, Preempt: true, Reclaim: true}
	golden(t, map[string]map[string]any{
		"volcano":              values(Volcano(scheduler, []string{"nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu"})),
		"volcano-proportion":   values(Volcano(spec.Scheduler{Shares: "proportion", Topology: true}, nil)),
		"nvidia-device-plugin": values(NVIDIADevicePlugin(pools)),
		"gpu-operator":         values(GPUOperator(pools, false)),
		"fabric": Fabric(pools, spec.Fabric{Namespaces: []string{"team-a"}, NCCL: map[string]map[string]string{
			"whole": {"NCCL_IB_HCA": "", "NCCL_DEBUG": "WARN"}, "cpu": {"NCCL_IB_DISABLE": "1"},
		}}),
	})
}

// golden compares values with the files of their names.
func golden(t *testing.T, all map[string]map[string]any) {
	t.Helper()
	for name, got := range all {
		t.Run(name, func(t *testing.T) {
			text, err := yaml.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".yaml")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestChartsThatNeedNothingGetNothing(t *testing.T) {
	plain := map[string]spec.Pool{"whole": {Name: "whole", Accelerator: "h100"}}
	if got, err := NVIDIADevicePlugin(plain); err != nil || len(got) > 0 {
		t.Errorf("device plugin: %v, %v", got, err)
	}
	if got := Fabric(plain, spec.Fabric{}); got != nil {
		t.Errorf("fabric: %v", got)
	}
}
