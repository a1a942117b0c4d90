// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package nodepool decides which nodes belong to which pool, and what each lacks of the labels
// and taints of its pool. Everything here is a pure function.
package nodepool

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Labels that nodes of a pool get beside those of the configuration.
const (
	LabelCluster     = spec.OwnPrefix + "cluster"
	LabelPool        = spec.OwnPrefix + "pool"
	LabelAccelerator = spec.OwnPrefix + "accelerator" // the model of the catalogue
	LabelFabric      = spec.OwnPrefix + "fabric"
	prefixTask       = spec.OwnPrefix + "task-" // one a kind of task, with the value "true"

	// What NVIDIA's programs read on a node: the partitions that the MIG manager makes, and the
	// configuration that the device plugin takes.
	labelMIG    = "nvidia.com/mig.config"
	labelPlugin = "nvidia.com/device-plugin.config"
)

// Want is what every node of a pool has.
type Want struct {
	Labels map[string]string
	Taints []corev1.Taint
}

// Wanted is what a pool of a cluster gives to its nodes.
func Wanted(cluster string, pool spec.Pool) Want {
	w := Want{Labels: map[string]string{LabelCluster: cluster, LabelPool: pool.Name}}
	maps.Copy(w.Labels, pool.Labels)
	for _, optional := range [][2]string{{LabelAccelerator, pool.Accelerator}, {LabelFabric, pool.Fabric}} {
		if optional[1] != "" {
			w.Labels[optional[0]] = optional[1]
		}
	}
	for _, task := range pool.Tasks {
		w.Labels[prefixTask+task] = "true"
	}
	if pool.MIG != nil {
		w.Labels[labelMIG] = "all-" + pool.MIG.Profile
	}
	if pool.SharesGPUs() {
		w.Labels[labelPlugin] = pool.Name
	}
	for _, taint := range pool.Taints {
		w.Taints = append(w.Taints, corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: corev1.TaintEffect(taint.Effect)})
	}
	return w
}

// Given is what an earlier run gave to the nodes of a pool: the keys of labels, and taints as
// key:effect. It is how what is wanted no longer is told from what others have put there.
type Given struct {
	Labels []string `json:"labels,omitempty"`
	Taints []string `json:"taints,omitempty"`
}

// Given is the record of this want, in a stable order.
func (w Want) Given() (g Given) {
	g.Labels = slices.Sorted(maps.Keys(w.Labels))
	for _, taint := range w.Taints {
		g.Taints = append(g.Taints, id(taint))
	}
	slices.Sort(g.Taints)
	return g
}

// And is what either of two records says.
func (g Given) And(other Given) Given {
	union := func(a, b []string) []string {
		all := slices.Concat(a, b)
		slices.Sort(all)
		return slices.Compact(all)
	}
	return Given{Labels: union(g.Labels, other.Labels), Taints: union(g.Taints, other.Taints)}
}

// id is what Kubernetes tells taints apart by.
func id(taint corev1.Taint) string { return fmt.Sprintf("%s:%s", taint.Key, taint.Effect) }
