// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package nodepool

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Node is what matters of a node.
type Node struct {
	Name, ResourceVersion string
	// Labels are those that some pool selects by, gives or gave.
	Labels   map[string]string
	Taints   []corev1.Taint
	Ready    bool
	Cordoned bool
	// Accelerators is how many of each accelerator resource the node offers.
	Accelerators map[string]int64
	// Validation is how far its accelerators have come: one of the words below, "" where nobody
	// validates it.
	Validation string
}

// What becomes of a node that is validated.
const (
	Admitted = "admitted"
	Refused  = "refused"
	Waiting  = "waiting"
)

// What validation leaves on a node: the taint that keeps work away until it has passed, and the
// condition that says whether it has.
const (
	GateTaint          = spec.OwnPrefix + "validation"
	ConditionValidated = "AcceleratorValidated"
)

// validation reads how far a node has come. The taint has the last word: while it is there, no
// work may come, whatever was found before.
func validation(node *corev1.Node) string {
	gated := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == GateTaint })
	for _, c := range node.Status.Conditions {
		switch {
		case c.Type != ConditionValidated:
		case c.Status == corev1.ConditionFalse:
			return Refused
		case c.Status == corev1.ConditionTrue && !gated:
			return Admitted
		}
	}
	if gated {
		return Waiting
	}
	return ""
}

// Open says whether work that asks for accelerators can come to the node.
func (n Node) Open() bool {
	return n.Ready && !n.Cordoned && n.Validation != Refused && n.Validation != Waiting
}

// Keeper keeps of a node what matters to pools, so that thousands of nodes stay small.
func Keeper(pools map[string]spec.Pool, given map[string]Given) func(*corev1.Node) (Node, bool) {
	matters := map[string]bool{LabelCluster: true, LabelPool: true}
	for _, pool := range pools {
		for key := range pool.Selector {
			matters[key] = true
		}
		for key := range Wanted("", pool).Labels {
			matters[key] = true
		}
	}
	for _, before := range given {
		for _, key := range before.Labels {
			matters[key] = true
		}
	}
	return func(node *corev1.Node) (Node, bool) {
		kept := Node{
			Name: node.Name, ResourceVersion: node.ResourceVersion, Taints: node.Spec.Taints, Cordoned: node.Spec.Unschedulable,
			Labels: map[string]string{}, Accelerators: map[string]int64{}, Validation: validation(node),
		}
		for key, value := range node.Labels {
			if matters[key] {
				kept.Labels[key] = value
			}
		}
		for name, quantity := range node.Status.Allocatable {
			if catalog.IsAccelerator(string(name)) {
				kept.Accelerators[string(name)] = quantity.Value()
			}
		}
		kept.Ready = slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
		return kept, true
	}
}

// Assignment says which nodes belong where.
type Assignment struct {
	// Pools are the nodes of each pool, by name.
	Pools map[string][]Node
	// Contested are nodes that several pools pick, with the names of those.
	Contested map[string][]string
	// Left are nodes that carry the label of a pool of this cluster which no longer picks them.
	Left []Node
}

// Assign finds the pool of every node of a cluster.
func Assign(cluster string, pools map[string]spec.Pool, nodes []Node) Assignment {
	a := Assignment{Pools: map[string][]Node{}, Contested: map[string][]string{}}
	names := slices.Sorted(maps.Keys(pools))
	for _, node := range nodes {
		var by []string
		for _, name := range names {
			if picks(pools[name].Selector, node.Labels) {
				by = append(by, name)
			}
		}
		switch {
		case len(by) > 1:
			a.Contested[node.Name] = by
		case len(by) == 1:
			a.Pools[by[0]] = append(a.Pools[by[0]], node)
		case node.Labels[LabelCluster] == cluster:
			a.Left = append(a.Left, node)
		}
	}
	return a
}

func picks(selector, labels map[string]string) bool {
	for key, value := range selector {
		if have, ok := labels[key]; !ok || have != value {
			return false
		}
	}
	return len(selector) > 0
}
