// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package inventory sums up what accelerators a cluster has, what pods hold of them and
// what is free. Everything here is a pure function.
package inventory

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
)

// Node is one node with accelerators. Its amounts hold cpu, memory and the accelerators.
type Node struct {
	Name string
	// Pool is "" where no label names one.
	Pool string
	// Accelerator is the product, or the name of the resource where no label names one.
	Accelerator string
	Ready       bool
	// Unschedulable: the node is cordoned.
	Unschedulable bool
	Taints        []corev1.Taint
	// Allocatable is what the node offers, Allocated what its pods hold, and Free what is
	// left, which is never negative: pods may hold devices that a plugin has taken back.
	Allocatable, Allocated, Free corev1.ResourceList
}

// Usable says whether the node may take new work, taints aside.
func (n Node) Usable() bool { return n.Ready && !n.Unschedulable }

// Counter says which resources count: cpu, memory, the known accelerators, and those
// that more names.
func Counter(more []string) func(corev1.ResourceName) bool {
	return func(name corev1.ResourceName) bool {
		return name == corev1.ResourceCPU || name == corev1.ResourceMemory || catalog.IsAccelerator(string(name), more...)
	}
}

// IsDevice says whether a resource that counts is an accelerator.
func IsDevice(name corev1.ResourceName) bool {
	return name != corev1.ResourceCPU && name != corev1.ResourceMemory
}

// NodeFrom keeps of a node what matters; ok is false where it has no accelerator. A node
// whose device plugin is down still has one: at its capacity, or by its product label.
func NodeFrom(node *corev1.Node, counts func(corev1.ResourceName) bool) (kept Node, ok bool) {
	kept = Node{
		Name: node.Name, Pool: catalog.Pool(node.Labels), Accelerator: catalog.Product(node.Labels),
		Ready: isReady(node), Unschedulable: node.Spec.Unschedulable, Taints: node.Spec.Taints,
		Allocatable: only(node.Status.Allocatable, counts),
	}
	for name := range only(node.Status.Capacity, counts) {
		if _, offered := kept.Allocatable[name]; !offered {
			kept.Allocatable[name] = none
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kept.Allocatable)) {
		if IsDevice(name) && kept.Accelerator == "" {
			kept.Accelerator = string(name)
		}
	}
	return kept, kept.Accelerator != ""
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
		return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
	})
}
