// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package nodepool

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Between says what another configuration changes on the nodes of each pool, whichever nodes
// those are by then.
func Between(before, after map[string]Want) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			lines = append(lines, fmt.Sprintf("pool %s: delete; its nodes lose their labels and taints", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, stood := before[name]
		if !stood {
			lines = append(lines, fmt.Sprintf("pool %s: create", name))
		}
		for _, line := range was.to(after[name]) {
			lines = append(lines, fmt.Sprintf("pool %s: %s", name, line))
		}
	}
	return lines
}

func (w Want) to(next Want) (lines []string) {
	keys := maps.Clone(w.Labels)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, next.Labels)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		have, had := w.Labels[key]
		want, wanted := next.Labels[key]
		if had != wanted || have != want {
			lines = append(lines, fmt.Sprintf("labels[%q]: %s -> %s", key, quoted(have, had), quoted(want, wanted)))
		}
	}
	was, is := byID(w.Taints), byID(next.Taints)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		have, had := was[key]
		want, wanted := is[key]
		if had != wanted || have.Value != want.Value {
			lines = append(lines, fmt.Sprintf("taints[%s]: %s -> %s", key, quoted(have.Value, had), quoted(want.Value, wanted)))
		}
	}
	return lines
}

func byID(taints []corev1.Taint) map[string]corev1.Taint {
	all := map[string]corev1.Taint{}
	for _, taint := range taints {
		all[id(taint)] = taint
	}
	return all
}
