// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Verb is what a step does to its object.
type Verb string

// The verbs, in the order in which they are carried out.
const (
	Create  Verb = "create"  // the object does not exist
	Apply   Verb = "apply"   // it exists and differs
	Replace Verb = "replace" // it differs in a field that is fixed: delete it and make it again
	Release Verb = "release" // give back our fields, leave the object
	Remove  Verb = "remove"  // delete it
)

// Step is one write. Object is what is wanted, or for Remove and Release what stands.
// Live is what stood when the plan was made, nil for Create. Dropped are fields that we
// owned and do not want any more.
type Step struct {
	Verb             Verb
	Object, Live     *objects.Object
	Changes, Dropped []Change
}

// rank orders kinds so that whatever an object needs is there before it, and a namespace is
// bounded and isolated before its members get in.
var rank = map[string]int{
	"Namespace": 0, "PriorityClass": 1, "ResourceQuota": 2, "LimitRange": 3, "Secret": 4,
	"ServiceAccount": 5, "NetworkPolicy": 6, "Role": 7, "RoleBinding": 8, "Queue": 9,
}

// Goal is what a run shall reach: what is wanted, what was wanted before (from state; nil
// on the first run), and what stands.
type Goal struct{ Want, Prior, Have []*objects.Object }

// Steps lists the writes that lead to the goal: creations and changes in the order of their
// needs, then removals in the opposite order. What stands and is not wanted goes; what is
// wanted and already stands costs nothing. An object that stands although no earlier run
// is known of (a run was killed) is applied in any case, because it may hold fields of ours
// that are not wanted any more; so is a Secret with its data, which is never read back.
func Steps(goal Goal) []Step {
	live, prior := index(goal.Have), index(goal.Prior)
	var steps []Step
	for _, object := range goal.Want {
		ref := objects.Ref(object)
		found, before := live[ref], prior[ref]
		delete(live, ref)
		if found == nil {
			steps = append(steps, Step{Verb: Create, Object: object})
			continue
		}
		step := Step{Verb: Apply, Object: object, Live: found, Changes: append(Diff(object, found), Lost(object, found)...)}
		if before != nil {
			step.Dropped = dropped(before, object)
		}
		if needsReplacing(step) {
			step.Verb = Replace
		}
		if before == nil || len(step.Changes) > 0 || len(step.Dropped) > 0 || object.Object["data"] != nil {
			steps = append(steps, step)
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return byRank(a.Object, b.Object) })
	return append(steps, removals(live)...)
}

// dropped lists the fields that before held and now does not.
func dropped(before, now *objects.Object) []Change {
	return slices.DeleteFunc(Diff(before, now), func(change Change) bool { return change.Have != nil })
}

// Undo returns the object that puts back what an Apply step changed, and nothing else. What
// a Secret held before is not known, so it keeps what the step wrote.
func Undo(step Step) *objects.Object {
	back := step.Object.DeepCopy()
	for _, change := range slices.Concat(step.Changes, step.Dropped) {
		names := change.Path.Fields()
		if step.Object.GetKind() == "Secret" && names[0] == secretData[0] {
			continue
		}
		putBack(back, step.Live, names)
	}
	for _, prefix := range ownedWhole[back.GetKind()] {
		// A map that is owned whole loses every key that is not applied.
		names := strings.Split(prefix, ".")
		stood, _, _ := unstructured.NestedMap(step.Live.Object, names...)
		if _, applied, _ := unstructured.NestedMap(back.Object, names...); !applied {
			continue
		}
		for key := range stood {
			putBack(back, step.Live, append(slices.Clone(names), key))
		}
	}
	return back
}

// putBack gives one field of an object the value that stood, or takes it out.
func putBack(back, stood *objects.Object, names []string) {
	value, found, _ := unstructured.NestedFieldCopy(stood.Object, names...)
	if !found {
		unstructured.RemoveNestedField(back.Object, names...)
		return
	}
	// Where a parent is no map in what is wanted, its own change restores all of it.
	_ = unstructured.SetNestedField(back.Object, value, names...)
}

func removals(live map[string]*objects.Object) []Step {
	var steps []Step
	for _, object := range live {
		verb := Remove
		if Shared(object) {
			verb = Release
		}
		steps = append(steps, Step{Verb: verb, Object: object, Live: object})
	}
	slices.SortFunc(steps, func(a, b Step) int {
		return cmp.Or(byRank(b.Object, a.Object), cmp.Compare(objects.Ref(a.Object), objects.Ref(b.Object)))
	})
	return steps
}

// Shared says whether an object is the cluster's own and only lent some fields by us: every
// namespace has a ServiceAccount "default", and Volcano its queues "root" and "default".
func Shared(object *objects.Object) bool {
	switch object.GetKind() {
	case "ServiceAccount":
		return object.GetName() == "default"
	case "Queue":
		return object.GetName() == "default" || object.GetName() == "root"
	}
	return false
}

// fixed names the fields that the API server never changes in place.
var fixed = map[string][]string{"PriorityClass": {"value", "preemptionPolicy"}, "RoleBinding": {"roleRef"}}

// needsReplacing says whether a step changes a field that is fixed.
func needsReplacing(step Step) bool {
	return slices.ContainsFunc(slices.Concat(step.Changes, step.Dropped), func(change Change) bool {
		return under(fixed[step.Object.GetKind()], change.Path)
	})
}

func byRank(a, b *objects.Object) int {
	return cmp.Compare(rank[a.GetKind()], rank[b.GetKind()])
}

func index(list []*objects.Object) map[string]*objects.Object {
	byRef := make(map[string]*objects.Object, len(list))
	for _, object := range list {
		byRef[objects.Ref(object)] = object
	}
	return byRef
}
