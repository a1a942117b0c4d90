// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

var none = *resource.NewQuantity(0, resource.DecimalSI)

// Group sums up nodes. The amounts are those of its usable nodes (ready and not cordoned)
// alone, so that what is free can be used.
type Group struct {
	Nodes, Ready, Usable         int
	Allocatable, Allocated, Free corev1.ResourceList
}

// Inventory is what a cluster has: node by node in the order of their names, in groups, and
// in all. Nodes in no pool are in the group "".
type Inventory struct {
	Nodes                 []Node
	ByPool, ByAccelerator map[string]Group
	Total                 Group
}

// Take sums up nodes and what the pods hold of them. Pods on other nodes do not count.
func Take(nodes []Node, pods []Pod) Inventory {
	inventory := Inventory{Nodes: slices.Clone(nodes), ByPool: map[string]Group{}, ByAccelerator: map[string]Group{}}
	slices.SortFunc(inventory.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	held := make(map[string]corev1.ResourceList, len(nodes))
	for _, node := range nodes {
		held[node.Name] = nothing(node.Allocatable)
	}
	for _, pod := range pods {
		if total, ours := held[pod.Node]; ours {
			add(total, pod.Requests)
		}
	}
	for i := range inventory.Nodes {
		node := &inventory.Nodes[i]
		node.Allocated = held[node.Name]
		node.Free = left(node.Allocatable, node.Allocated)
		inventory.Total = inventory.Total.with(*node)
		inventory.ByPool[node.Pool] = inventory.ByPool[node.Pool].with(*node)
		inventory.ByAccelerator[node.Accelerator] = inventory.ByAccelerator[node.Accelerator].with(*node)
	}
	return inventory
}

// with is the group and one node more. A node that is not usable adds its resources at
// nothing, so that a pool that is down still says what it lacks.
func (g Group) with(node Node) Group {
	if g.Nodes == 0 {
		g.Allocatable, g.Allocated, g.Free = corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	}
	g.Nodes++
	if node.Ready {
		g.Ready++
	}
	if !node.Usable() {
		absent := nothing(node.Allocatable)
		node.Allocatable, node.Allocated, node.Free = absent, absent, absent
	} else {
		g.Usable++
	}
	add(g.Allocatable, node.Allocatable)
	add(g.Allocated, node.Allocated)
	add(g.Free, node.Free)
	return g
}

// nothing is none of each resource in the list.
func nothing(list corev1.ResourceList) corev1.ResourceList {
	empty := make(corev1.ResourceList, len(list))
	for name := range list {
		empty[name] = none
	}
	return empty
}
