// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Queue is one Volcano queue (scheduling.volcano.sh/v1beta1) with the PriorityClass that
// goes with it.
type Queue struct {
	Name                string
	Labels, Annotations map[string]string
	// Parent is the queue above, "" or "root" for the top level.
	Parent string
	// Weight is the share against sibling queues, 1 to 65535.
	Weight int32
	// Capability is the most that the queue may ever hold, Deserved what it may hold while
	// others want to work too, Guarantee what is kept for it even when it is idle.
	Capability, Deserved, Guarantee Resources
	// Share derives Deserved from a part of a whole; nil where Deserved is given itself.
	Share *Share
	// Reclaimable: what is held beyond Deserved may be taken back by other queues.
	Reclaimable bool
	// Priority orders queues; the higher is served first. nil: Volcano's 0.
	Priority      *int32
	Affinity      *NodeGroups
	Closed        bool
	PriorityClass *PriorityClass
}

// Share is a part of the resources of a cluster or pool.
type Share struct {
	Percent int64
	Of      Resources
}

// NodeGroups restricts a queue to groups of nodes (label volcano.sh/nodegroup-name).
type NodeGroups struct{ Required, Preferred, AntiRequired, AntiPreferred []string }

// PriorityClass is the scheduling.k8s.io/v1 object that jobs of the queue name.
type PriorityClass struct {
	Name             string
	Value            int32
	PreemptionPolicy string
	Description      string
}

// Preemption policies of a PriorityClass.
var preemptionPolicies = []string{"PreemptLowerPriority", "Never"}

// Limits from the Volcano CRD (weight) and the Kubernetes API (priority values of users).
const (
	maxWeight        = 65535
	maxPriorityValue = 1_000_000_000
)

// Entitled returns what the queue deserves: as given, or its share. A share is rounded
// down, in whole units for devices and in thousandths for cpu.
func (q Queue) Entitled() Resources {
	if q.Share == nil {
		return q.Deserved
	}
	part := Resources{}
	for name, text := range q.Share.Of {
		whole, err := ParseQuantity(text)
		if err != nil {
			continue
		}
		part[name] = portion(name, whole, q.Share.Percent)
	}
	return part
}

func portion(name string, whole resource.Quantity, percent int64) string {
	if name == "cpu" {
		return resource.NewMilliQuantity(scale(whole.MilliValue(), percent), whole.Format).String()
	}
	return resource.NewQuantity(scale(whole.Value(), percent), whole.Format).String()
}

// scale is value*percent/100 without overflow.
func scale(value, percent int64) int64 {
	return value/100*percent + value%100*percent/100
}

// Validate says what Kubernetes or Volcano would refuse. The rules between guarantee,
// deserved and capability are those of Volcano's admission webhook.
func (q Queue) Validate() Violations {
	var v Violations
	checkLabelName(&v, Path{"name"}, q.Name)
	if q.Parent != "" {
		checkLabelName(&v, Path{"parent"}, q.Parent)
	}
	if q.Parent != "" && q.Parent == q.Name {
		v.Add(Path{"parent"}, "Name another queue, or leave it out for the top level", "%q is the queue itself", q.Parent)
	}
	if q.Weight < 1 || q.Weight > maxWeight {
		v.Add(Path{"weight"}, fmt.Sprintf("Give a number from 1 to %d", maxWeight), "%d is out of range", q.Weight)
	}
	checkMetadata(&v, Path{"labels"}, q.Labels, checkLabelValue)
	checkMetadata(&v, Path{"annotations"}, q.Annotations, nil)
	checkResources(&v, Path{"capability"}, q.Capability)
	checkResources(&v, Path{"deserved"}, q.Deserved)
	checkResources(&v, Path{"guarantee"}, q.Guarantee)
	q.checkShare(&v)
	q.checkOrder(&v)
	if q.PriorityClass != nil {
		q.PriorityClass.check(&v, Path{"priority_class"})
	}
	return v
}

func (q Queue) checkShare(v *Violations) {
	if q.Share == nil {
		return
	}
	if q.Share.Percent < 1 || q.Share.Percent > 100 {
		v.Add(Path{"share", "percent"}, "Give a whole number from 1 to 100", "%d percent is out of range", q.Share.Percent)
	}
	checkResources(v, Path{"share", "of"}, q.Share.Of)
	if len(q.Deserved) > 0 {
		v.Add(Path{"deserved"}, `Give either "deserved" or "share"`, "the share already says what the queue deserves")
	}
}

// checkOrder holds guarantee <= deserved <= capability, resource by resource.
func (q Queue) checkOrder(v *Violations) {
	deserved, from := q.Entitled(), Path{"deserved"}
	if q.Share != nil {
		from = Path{"share", "of"}
	}
	checkAtMost(v, from, deserved, q.Capability, "capability")
	checkAtMost(v, Path{"guarantee"}, q.Guarantee, q.Capability, "capability")
	checkAtMost(v, Path{"guarantee"}, q.Guarantee, deserved, "deserved")
	for _, name := range q.Guarantee.Names() {
		if _, ok := deserved[name]; !ok {
			v.Add(Path{"guarantee", Key(name)}, fmt.Sprintf("Set deserved[%q] to at least %s", name, q.Guarantee[name]),
				"the queue deserves no %s, and Volcano takes a value that is missing for 0", name)
		}
	}
}

func (p PriorityClass) check(v *Violations, at Path) {
	checkSubdomain(v, at.At("name"), p.Name)
	if p.Value > maxPriorityValue {
		v.Add(at.At("value"), fmt.Sprintf("Give at most %d; higher values are for the system", maxPriorityValue), "%d is too high", p.Value)
	}
	if p.PreemptionPolicy != "" && !slices.Contains(preemptionPolicies, p.PreemptionPolicy) {
		v.Add(at.At("preemption_policy"), `Use "PreemptLowerPriority" or "Never"`, "%q is not a preemption policy", p.PreemptionPolicy)
	}
}
