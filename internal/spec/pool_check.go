// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Accelerator is what a pool must know of a model to be checked.
type Accelerator struct {
	Vendor string
	// Profiles are the MIG partitions that it can be cut into.
	Profiles []string
}

// Catalogue finds a model of accelerator by its name; its second method lists the names.
type Catalogue interface {
	Accelerator(name string) (Accelerator, bool)
	Names() []string
}

// ValidatePools checks pools, by name, against each other and the catalogue. Paths begin with
// the name of the pool.
func ValidatePools(pools map[string]Pool, catalogue Catalogue) (v Violations) {
	names := slices.Sorted(maps.Keys(pools))
	for i, name := range names {
		pool := pools[name]
		pool.check(&v, Path{Key(name)}, catalogue)
		for _, before := range names[:i] {
			if len(pool.Selector) > 0 && maps.Equal(pool.Selector, pools[before].Selector) {
				v.Add(Path{Key(name), "selector"}, "Give each pool nodes of its own", "it picks the nodes of the pool %q", before)
			}
		}
	}
	return v
}

func (p Pool) check(v *Violations, at Path, catalogue Catalogue) {
	checkLabelName(v, at, p.Name)
	if len(p.Selector) == 0 {
		v.Add(at.At("selector"), `Name a label and its value, such as { "eks.amazonaws.com/nodegroup" = "h100" }`, "it would pick every node of the cluster")
	}
	for _, key := range slices.Sorted(maps.Keys(p.Selector)) {
		here := at.At("selector", Key(key))
		checkQualifiedName(v, here, key)
		checkLabelValue(v, here, p.Selector[key])
		if strings.HasPrefix(key, OwnPrefix) {
			v.Add(here, "Choose a label that the nodes bring along", "labels that begin with %s are given to the nodes of a pool", OwnPrefix)
		}
	}
	checkMetadata(v, at.At("labels"), p.Labels, checkLabelValue)
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		if _, selects := p.Selector[key]; selects {
			v.Add(at.At("labels", Key(key)), "Choose another label", "the selector finds the nodes by it")
		}
	}
	p.checkTaints(v, at.At("taints"))
	oneOf(v, at.At("fabric"), p.Fabric, Fabrics)
	for i, task := range p.Tasks {
		oneOf(v, at.At("tasks", i), task, Tasks)
	}
	p.checkAccelerator(v, at, catalogue)
}

func (p Pool) checkTaints(v *Violations, at Path) {
	seen := map[Taint]bool{}
	for i, taint := range p.Taints {
		checkQualifiedName(v, at.At(i, "key"), taint.Key)
		if problems := validation.IsValidLabelValue(taint.Value); len(problems) > 0 {
			v.Add(at.At(i, "value"), "Use at most 63 letters, digits, \"-\", \"_\" and \".\"", "%q is not a taint's value", taint.Value)
		}
		if !slices.Contains(TaintEffects, taint.Effect) {
			v.Add(at.At(i, "effect"), "Use one of "+strings.Join(TaintEffects, ", "), "%q is not an effect", taint.Effect)
		}
		// Kubernetes tells taints apart by these two.
		id := Taint{Key: taint.Key, Effect: taint.Effect}
		if seen[id] {
			v.Add(at.At(i), "Give each key and effect once", "the taint %s with %s is there twice", taint.Key, taint.Effect)
		}
		seen[id] = true
	}
}

func (p Pool) checkAccelerator(v *Violations, at Path, catalogue Catalogue) {
	model, known := catalogue.Accelerator(p.Accelerator)
	if p.Accelerator != "" && !known {
		v.Add(at.At("accelerator"), "Use one of "+strings.Join(catalogue.Names(), ", "), "%q is not a model that Trainyard knows", p.Accelerator)
		return
	}
	p.checkMIG(v, at.At("mig"), model)
	switch {
	case p.TimeSlices < 0 || p.TimeSlices == 1:
		v.Add(at.At("time_slices"), "Give at least 2, or leave it out", "%d is not a number of shares", p.TimeSlices)
	case p.TimeSlices > 1 && model.Vendor != "nvidia":
		v.Add(at.At("time_slices"), "Leave it out", "only NVIDIA's device plugin shares a GPU in turns")
	}
}

func (p Pool) checkMIG(v *Violations, at Path, model Accelerator) {
	if p.MIG == nil {
		return
	}
	if len(model.Profiles) == 0 {
		v.Add(at, "Leave it out", "%s cannot be cut into parts", orNothing(p.Accelerator))
		return
	}
	if !slices.Contains(model.Profiles, p.MIG.Profile) {
		v.Add(at.At("profile"), "Use one of "+strings.Join(model.Profiles, ", "), "the %s has no profile %q", p.Accelerator, p.MIG.Profile)
	}
	if !slices.Contains(MIGStrategies, p.MIG.Strategy) {
		v.Add(at.At("strategy"), "Use one of "+strings.Join(MIGStrategies, ", "), "%q is not a strategy", p.MIG.Strategy)
	}
}

func orNothing(accelerator string) string {
	if accelerator == "" {
		return "a node without an accelerator"
	}
	return fmt.Sprintf("the %s", accelerator)
}

func oneOf(v *Violations, at Path, value string, choices []string) {
	if value != "" && !slices.Contains(choices, value) {
		v.Add(at, "Use one of "+strings.Join(choices, ", "), "%q is not known", value)
	}
}

func checkQualifiedName(v *Violations, at Path, key string) {
	if len(validation.IsQualifiedName(key)) > 0 {
		v.Add(at, `Use a name such as "nvidia.com/gpu"`, "%q is not a qualified name", key)
	}
}
