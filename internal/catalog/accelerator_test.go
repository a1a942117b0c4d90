// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import "testing"

func TestIsAccelerator(t *testing.T) {
	for _, test := range []struct {
		name, resource string
		more           []string
		want           bool
	}{
		{"a whole GPU", "nvidia.com/gpu", nil, true},
		{"a shared GPU", "nvidia.com/gpu.shared", nil, true},
		{"a MIG slice", "nvidia.com/mig-1g.10gb", nil, true},
		{"an Ascend of any type", "huawei.com/Ascend910B", nil, true},
		{"the memory of an Ascend", "huawei.com/Ascend910B-memory", nil, false},
		{"a TPU", "google.com/tpu", nil, true},
		{"a Gaudi", "habana.ai/gaudi", nil, true},
		{"a network device", "nvidia.com/hostdev", nil, false},
		{"cpu", "cpu", nil, false},
		{"memory", "memory", nil, false},
		{"a name that only begins alike", "nvidia.com/gpumem", nil, false},
		{"one that the user names", "example.com/npu", []string{"example.com/npu"}, true},
		{"one that the user's pattern covers", "example.com/npu-4c", []string{"example.com/npu*"}, true},
		{"one that the user's pattern does not cover", "example.com/dpu", []string{"example.com/npu*"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := IsAccelerator(test.resource, test.more...); got != test.want {
				t.Errorf("IsAccelerator(%q, %q) = %t, want %t", test.resource, test.more, got, test.want)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	labels := map[string]string{
		"nvidia.com/gpu.product":           "NVIDIA-H200",
		"cloud.google.com/gke-accelerator": "nvidia-h200-141gb",
		"cloud.google.com/gke-nodepool":    "a3-ultra",
	}
	if got := Product(labels); got != "NVIDIA-H200" {
		t.Errorf("the vendor's own label goes first, got product %q", got)
	}
	if got := Pool(labels); got != "a3-ultra" {
		t.Errorf("the cloud's pool stands in for ours, got %q", got)
	}
	labels["trainyard.io/pool"] = "train"
	if got := Pool(labels); got != "train" {
		t.Errorf("our pool goes first, got %q", got)
	}
	if Product(nil) != "" || Pool(nil) != "" {
		t.Error("a node without labels has neither product nor pool")
	}
}
