// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"maps"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
)

// kept are the fields of metadata that the API server keeps for itself.
var kept = []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}

// counters are annotations in which the API server counts changes.
var counters = []string{"deprecated.daemonset.template.generation"}

// without is a map less some of its keys.
func without(value any, keys []string) any {
	stands, ok := value.(map[string]any)
	if !ok {
		return value
	}
	rest := maps.Clone(stands)
	for _, key := range keys {
		delete(rest, key)
	}
	return rest
}

// Between lists the fields in which an object would differ from what stands: Want is what it
// would be (a rehearsal by the API server, with defaults and webhooks applied), Have what stands.
// Unlike Diff it compares everything but the status, because both sides come from the server.
func Between(would, stands *objects.Object) []Change {
	var b between
	for _, key := range unionKeys(would.Object, stands.Object) {
		switch key {
		case "status", "apiVersion", "kind":
		case "metadata":
			w, _ := would.Object[key].(map[string]any)
			s, _ := stands.Object[key].(map[string]any)
			for _, part := range unionKeys(w, s) {
				switch {
				case slices.Contains(kept, part):
				case part == "annotations":
					b.field(Path{key, part}, without(w[part], counters), without(s[part], counters))
				default:
					b.field(Path{key, part}, w[part], s[part])
				}
			}
		default:
			b.field(Path{key}, would.Object[key], stands.Object[key])
		}
	}
	if would.GetKind() == "Secret" {
		return veiled(b.changes)
	}
	return b.changes
}

type between struct{ changes []Change }

func (b *between) field(path Path, would, stands any) {
	if w, ok := would.(map[string]any); ok {
		if s, ok := stands.(map[string]any); ok {
			for _, key := range unionKeys(w, s) {
				b.field(path.at(key), w[key], s[key])
			}
			return
		}
	}
	if w, ok := would.([]any); ok {
		if s, ok := stands.([]any); ok && len(w) == len(s) {
			for i := range w {
				b.field(path.at(i), w[i], s[i])
			}
			return
		}
	}
	if !same(would, stands) {
		b.changes = append(b.changes, Change{Path: path, Want: would, Have: stands})
	}
}

// same compares two values that JSON decoders produced.
func same(a, b any) bool {
	if empty(a) && empty(b) {
		return true
	}
	an, aok := number(a)
	bn, bok := number(b)
	if aok || bok {
		return aok && bok && an == bn
	}
	switch va := a.(type) {
	case string, bool:
		return a == b
	case []any:
		vb, ok := b.([]any)
		return ok && slices.EqualFunc(va, vb, same)
	case map[string]any:
		vb, ok := b.(map[string]any)
		if !ok || len(va) != len(vb) {
			return false
		}
		for key, value := range va {
			if other, there := vb[key]; !there || !same(value, other) {
				return false
			}
		}
		return true
	}
	return false
}

// veiled hides what a Secret holds and tells only which keys differ.
func veiled(changes []Change) []Change {
	hide := func(value any) any {
		if value == nil {
			return nil
		}
		return redact.Hidden
	}
	for i, change := range changes {
		if change.Path[0] == "data" || change.Path[0] == "stringData" {
			changes[i].Want, changes[i].Have = hide(change.Want), hide(change.Have)
		}
	}
	return changes
}

func unionKeys(a, b map[string]any) []string {
	keys := sortedKeys(a)
	for _, key := range sortedKeys(b) {
		if _, both := a[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
