// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package nodepool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// Change is what has to be done to one node.
type Change struct {
	Node Node
	// New: the node has joined the pool and has nothing of it yet.
	New bool
	// Labels to set, and those to remove as nil.
	Labels map[string]*string
	// Taints are all taints that the node then has; only where Retaint says that they change.
	Taints  []corev1.Taint
	Retaint bool
	notes   []note
}

// note is one thing that is not as it should be, and the field that it is about.
type note struct {
	text string
	path plan.Path
}

// Empty says whether there is nothing to do.
func (c Change) Empty() bool { return len(c.Labels) == 0 && !c.Retaint }

// Lines says what is not as it should be: the value that is wanted, and the one that stands.
func (c Change) Lines() []string { return c.By(func(plan.Path) string { return "" }) }

// By is Lines, each with what author says of the field that it is about.
func (c Change) By(author func(plan.Path) string) []string {
	lines := make([]string, 0, len(c.notes))
	for _, n := range c.notes {
		lines = append(lines, fmt.Sprintf("Node %s: %s%s", c.Node.Name, n.text, author(n.path)))
	}
	return lines
}

// Compare says what a node of a pool lacks, and what it still has of an earlier want.
func (w Want) Compare(node Node, before Given) Change {
	c := Change{Node: node, New: node.Labels[LabelPool] != w.Labels[LabelPool], Labels: map[string]*string{}}
	for _, key := range slices.Sorted(maps.Keys(w.Labels)) {
		want := w.Labels[key]
		if have, ok := node.Labels[key]; !ok || have != want {
			c.Labels[key] = &want
			c.label(key, "%q -> %s", want, quoted(have, ok))
		}
	}
	for _, key := range before.Labels {
		_, wanted := w.Labels[key]
		if have, ok := node.Labels[key]; ok && !wanted {
			c.Labels[key] = nil
			c.label(key, "none -> %q", have)
		}
	}
	c.compareTaints(w.Taints, before.Taints)
	return c
}

// Release takes back from a node that has left its pool what that pool gave it.
func Release(node Node, before Given) Change {
	return Want{}.Compare(node, Given{
		Labels: append(slices.Clone(before.Labels), LabelCluster, LabelPool), Taints: before.Taints,
	})
}

// compareTaints puts ours in place and leaves those of others where they are.
func (c *Change) compareTaints(want []corev1.Taint, before []string) {
	wanted := map[string]corev1.Taint{}
	for _, taint := range want {
		wanted[id(taint)] = taint
	}
	for _, have := range c.Node.Taints {
		ours, known := wanted[id(have)]
		switch {
		case known && ours.Value != have.Value:
			c.taint(have, "%q -> %q", ours.Value, have.Value)
			c.Taints, c.Retaint = append(c.Taints, ours), true
		case known || !slices.Contains(before, id(have)):
			c.Taints = append(c.Taints, have)
		default:
			c.taint(have, "none -> %q", have.Value)
			c.Retaint = true
		}
		delete(wanted, id(have))
	}
	for _, taint := range want {
		if _, missing := wanted[id(taint)]; missing {
			c.taint(taint, "%q -> none", taint.Value)
			c.Taints, c.Retaint = append(c.Taints, taint), true
		}
	}
}

func (c *Change) label(key, format string, args ...any) {
	c.notes = append(c.notes, note{fmt.Sprintf("metadata.labels[%q]: ", key) + fmt.Sprintf(format, args...), plan.Path{"metadata", "labels", key}})
}

// taint notes something about one taint. Kubernetes keeps the author of the list as a whole.
func (c *Change) taint(taint corev1.Taint, format string, args ...any) {
	c.notes = append(c.notes, note{fmt.Sprintf("spec.taints[%s]: ", id(taint)) + fmt.Sprintf(format, args...), plan.Path{"spec", "taints"}})
}

func quoted(value string, there bool) string {
	if !there {
		return "none"
	}
	return fmt.Sprintf("%q", value)
}

// Patch is the JSON merge patch that carries the change out. Taints are one list in Kubernetes:
// a patch of them holds only for the version of the node that was read.
func (c Change) Patch() ([]byte, error) {
	metadata := map[string]any{}
	if len(c.Labels) > 0 {
		metadata["labels"] = c.Labels
	}
	patch := map[string]any{}
	if c.Retaint {
		metadata["resourceVersion"] = c.Node.ResourceVersion
		patch["spec"] = map[string]any{"taints": c.Taints}
	}
	patch["metadata"] = metadata
	return json.Marshal(patch)
}
