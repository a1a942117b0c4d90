// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// States of a Volcano queue, as its status has them.
const (
	QueueOpen    = "Open"
	QueueClosed  = "Closed"
	QueueClosing = "Closing"
	QueueUnknown = "Unknown"
)

// Queue renders the Volcano queue and its PriorityClass.
func Queue(q spec.Queue, o Owner) []*Object {
	list := []*Object{queue(q, o)}
	if q.PriorityClass != nil {
		list = append(list, priorityClass(*q.PriorityClass, o))
	}
	return list
}

func queue(q spec.Queue, o Owner) *Object {
	spec := map[string]any{"weight": int64(q.Weight), "reclaimable": q.Reclaimable}
	if q.Parent != "" {
		spec["parent"] = q.Parent
	}
	if q.Priority != nil {
		spec["priority"] = int64(*q.Priority)
	}
	setMap(spec, "capability", q.Capability)
	setMap(spec, "deserved", q.Entitled())
	if len(q.Guarantee) > 0 {
		spec["guarantee"] = map[string]any{"resource": content(q.Guarantee)}
	}
	if q.Affinity != nil {
		spec["affinity"] = affinity(*q.Affinity)
	}
	object := named("scheduling.volcano.sh/v1beta1", "Queue", q.Name, o, q.Labels)
	object.Object["spec"] = spec
	if len(q.Annotations) > 0 {
		object.SetAnnotations(q.Annotations)
	}
	return object
}

func affinity(groups spec.NodeGroups) map[string]any {
	rules := map[string]any{}
	add := func(rule string, required, preferred []string) {
		terms := map[string]any{}
		if len(required) > 0 {
			terms["requiredDuringSchedulingIgnoredDuringExecution"] = anys(required)
		}
		if len(preferred) > 0 {
			terms["preferredDuringSchedulingIgnoredDuringExecution"] = anys(preferred)
		}
		if len(terms) > 0 {
			rules[rule] = terms
		}
	}
	add("nodeGroupAffinity", groups.Required, groups.Preferred)
	add("nodeGroupAntiAffinity", groups.AntiRequired, groups.AntiPreferred)
	return rules
}

func priorityClass(p spec.PriorityClass, o Owner) *Object {
	object := named("scheduling.k8s.io/v1", "PriorityClass", p.Name, o, nil)
	object.Object["value"] = int64(p.Value)
	object.Object["preemptionPolicy"] = p.PreemptionPolicy
	if p.Description != "" {
		object.Object["description"] = p.Description
	}
	return object
}

// named starts an object with its owner's labels over the user's own.
func named(apiVersion, kind, name string, o Owner, labels map[string]string) *Object {
	all := ownerLabels(o)
	for key, value := range labels {
		all[key] = value // never one of ours: reserved keys are refused
	}
	return &Object{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": name, "labels": all},
	}}
}

// QueueFrom reads back what stands; ok is false where there is no queue among the objects.
// A share cannot be told from what it amounts to: it comes back as Deserved.
func QueueFrom(have []*Object) (q spec.Queue, ok bool) {
	for _, object := range have {
		switch object.GetKind() {
		case "Queue":
			ok = true
			readQueue(object, &q)
		case "PriorityClass":
			q.PriorityClass = &spec.PriorityClass{
				Name: object.GetName(), Value: int32(nested[int64](object.Object, "value")),
				PreemptionPolicy: nested[string](object.Object, "preemptionPolicy"), Description: nested[string](object.Object, "description"),
			}
		}
	}
	return q, ok
}

func readQueue(object *Object, q *spec.Queue) {
	q.Name = object.GetName()
	q.Labels = unreserved(object.GetLabels())
	q.Annotations = unreserved(object.GetAnnotations())
	q.Parent = nested[string](object.Object, "spec", "parent")
	q.Weight = int32(nested[int64](object.Object, "spec", "weight"))
	q.Reclaimable = true // Volcano's default
	if reclaimable, ok := nested[any](object.Object, "spec", "reclaimable").(bool); ok {
		q.Reclaimable = reclaimable
	}
	if priority := int32(nested[int64](object.Object, "spec", "priority")); priority != 0 {
		q.Priority = &priority
	}
	q.Capability = textMap(object.Object, "spec", "capability")
	q.Deserved = textMap(object.Object, "spec", "deserved")
	q.Guarantee = textMap(object.Object, "spec", "guarantee", "resource")
	groups := spec.NodeGroups{
		Required:      texts(object.Object, "spec", "affinity", "nodeGroupAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
		Preferred:     texts(object.Object, "spec", "affinity", "nodeGroupAffinity", "preferredDuringSchedulingIgnoredDuringExecution"),
		AntiRequired:  texts(object.Object, "spec", "affinity", "nodeGroupAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
		AntiPreferred: texts(object.Object, "spec", "affinity", "nodeGroupAntiAffinity", "preferredDuringSchedulingIgnoredDuringExecution"),
	}
	if len(groups.Required)+len(groups.Preferred)+len(groups.AntiRequired)+len(groups.AntiPreferred) > 0 {
		q.Affinity = &groups
	}
	state := QueueState(object)
	q.Closed = state == QueueClosed || state == QueueClosing
}

// QueueState is the state in a queue's status: Open, Closing, Closed, Unknown, or "" where
// no Volcano controller has seen the queue yet.
func QueueState(object *Object) string {
	return nested[string](object.Object, "status", "state")
}

// QueueParent is the queue above, "" at the top level.
func QueueParent(object *Object) string {
	return nested[string](object.Object, "spec", "parent")
}

// PodGroupUnfinished says whether a pod group of the queue still waits or works.
func PodGroupUnfinished(group *Object, queue string) bool {
	return nested[string](group.Object, "spec", "queue") == queue && nested[string](group.Object, "status", "phase") != "Completed"
}

// PodGroupWaits says whether a gang has not been let in yet or has not all its pods.
func PodGroupWaits(group *Object) bool {
	phase := nested[string](group.Object, "status", "phase")
	return phase == "" || phase == "Pending" || phase == "Inqueue"
}

// PodGroupNeeds is what the gang needs at least before any of it starts.
func PodGroupNeeds(group *Object) spec.Resources {
	return textMap(group.Object, "spec", "minResources")
}

// PodGroupJob names what a pod group belongs to: Job research/train-7b.
func PodGroupJob(group *Object) string {
	for _, owner := range group.GetOwnerReferences() {
		return owner.Kind + " " + group.GetNamespace() + "/" + owner.Name
	}
	return Ref(group)
}
