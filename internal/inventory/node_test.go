// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(labels map[string]string, ready corev1.ConditionStatus, allocatable, capacity corev1.ResourceList) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: labels},
		Status: corev1.NodeStatus{
			Allocatable: allocatable, Capacity: capacity,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse}, {Type: corev1.NodeReady, Status: ready}},
		},
	}
}

func TestNodeFrom(t *testing.T) {
	h100 := map[string]string{"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "trainyard.io/pool": "h100"}
	gpus := amounts("cpu", "190", "memory", "2Ti", "pods", "110", "nvidia.com/gpu", "8")
	for _, test := range []struct {
		name        string
		node        *corev1.Node
		more        []string
		accelerator string // "": it has none
		ready       bool
		allocatable corev1.ResourceList
	}{
		{"a ready GPU node", node(h100, corev1.ConditionTrue, gpus, gpus), nil, "NVIDIA-H100-80GB-HBM3", true, amounts("cpu", "190", "memory", "2Ti", "nvidia.com/gpu", "8")},
		{"one that is not heard of", node(h100, corev1.ConditionUnknown, gpus, gpus), nil, "NVIDIA-H100-80GB-HBM3", false, amounts("cpu", "190", "memory", "2Ti", "nvidia.com/gpu", "8")},
		{"a node without accelerators", node(nil, corev1.ConditionTrue, amounts("cpu", "64"), amounts("cpu", "64")), nil, "", true, nil},
		{"a device plugin that offers nothing", node(nil, corev1.ConditionTrue, amounts("cpu", "64"), amounts("cpu", "64", "amd.com/gpu", "8")), nil, "amd.com/gpu", true, amounts("cpu", "64", "amd.com/gpu", "0")},
		{"no device plugin yet", node(h100, corev1.ConditionTrue, amounts("cpu", "64"), amounts("cpu", "64")), nil, "NVIDIA-H100-80GB-HBM3", true, amounts("cpu", "64")},
		{"a resource that the user names", node(nil, corev1.ConditionTrue, amounts("example.com/npu", "4"), nil), []string{"example.com/npu"}, "example.com/npu", true, amounts("example.com/npu", "4")},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := test.node.DeepCopy()
			got, ok := NodeFrom(test.node, Counter(test.more))
			if ok != (test.accelerator != "") {
				t.Fatalf("counts = %t, want %t", ok, test.accelerator != "")
			}
			if got.Accelerator != test.accelerator || got.Ready != test.ready {
				t.Errorf("got %q, ready %t; want %q, ready %t", got.Accelerator, got.Ready, test.accelerator, test.ready)
			}
			if diff := cmp.Diff(texts(test.allocatable), texts(got.Allocatable)); ok && diff != "" {
				t.Errorf("allocatable (-want +got):\n%s", diff)
			}
			if !cmp.Equal(before, test.node) {
				t.Error("the node was changed")
			}
		})
	}
}
