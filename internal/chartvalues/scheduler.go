// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package chartvalues turns specifications into values of the charts that fulfil them. It is
// where the names of those charts' values stand. Everything here is a pure function.
package chartvalues

import (
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Weights of the binpack plugin: an accelerator left alone on a node costs more than cores.
const (
	binpackWeight      = 10
	binpackAccelerator = 10
	binpackOrdinary    = 1
)

// conf is Volcano's scheduler configuration (pkg/scheduler/conf of volcano-sh/volcano).
type conf struct {
	Actions string `json:"actions"`
	Tiers   []tier `json:"tiers"`
}

type tier struct {
	Plugins []plugin `json:"plugins"`
}

type plugin struct {
	Name              string         `json:"name"`
	EnableHierarchy   *bool          `json:"enableHierarchy,omitempty"`
	EnablePreemptable *bool          `json:"enablePreemptable,omitempty"`
	Arguments         map[string]any `json:"arguments,omitempty"`
}

// Volcano are the values of the chart volcano: the scheduler's configuration. resources are the
// extended resources of the accelerators in the cluster.
func Volcano(s spec.Scheduler, resources []string) (map[string]any, error) {
	text, err := yaml.Marshal(schedulerConf(s, resources))
	return map[string]any{"custom": map[string]any{"scheduler_config_override": string(text)}}, err
}

// schedulerConf leaves the plugin overcommit out, which is in the chart's own configuration: in
// a full cluster it can keep jobs from being queued; they get no pods then, and without pods
// nothing is reclaimed for them (volcano-sh/volcano#4679, #4817). How much a queue may start stays
// bounded by what it may hold.
func schedulerConf(s spec.Scheduler, resources []string) conf {
	actions := []string{"enqueue", "allocate"}
	if s.Preempt {
		actions = append(actions, "preempt")
	}
	if s.Reclaim {
		actions = append(actions, "reclaim")
	}
	actions = append(actions, "backfill")

	// A gang is whole or not at all, and is not spared because it would lose its whole: gang and
	// drf say nothing about who may be preempted.
	first := []plugin{{Name: "priority"}, {Name: "gang", EnablePreemptable: new(false)}, {Name: "conformance"}}
	second := []plugin{{Name: "drf", EnablePreemptable: new(false)}, {Name: "predicates"}, shares(s), {Name: "nodeorder"}}
	if s.Binpack {
		second = append(second, binpack(resources))
	}
	if s.Topology {
		second = append(second, plugin{Name: "network-topology-aware"})
	}
	return conf{Actions: strings.Join(actions, ", "), Tiers: []tier{{Plugins: first}, {Plugins: second}}}
}

// shares lets queues have parents where they share by what they deserve. Before Volcano 1.15 one
// queue with a capability above that of the whole cluster, which the loss of a node brings about,
// then stopped all scheduling (volcano-sh/volcano#4819, #4973).
func shares(s spec.Scheduler) plugin {
	if s.Shares == "proportion" {
		return plugin{Name: "proportion"}
	}
	return plugin{Name: "capacity", EnableHierarchy: new(true)}
}

func binpack(resources []string) plugin {
	arguments := map[string]any{"binpack.weight": binpackWeight, "binpack.cpu": binpackOrdinary, "binpack.memory": binpackOrdinary}
	resources = slices.Sorted(slices.Values(resources))
	if resources = slices.Compact(resources); len(resources) > 0 {
		arguments["binpack.resources"] = strings.Join(resources, ", ")
	}
	for _, name := range resources {
		arguments["binpack.resources."+name] = binpackAccelerator
	}
	return plugin{Name: "binpack", Arguments: arguments}
}
