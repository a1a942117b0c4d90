// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package plan compares what is wanted with what stands, and says what has to happen.
// Everything here is a pure function over Kubernetes objects.
package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Path leads to a field of an object: map keys (string) and list indices (int).
type Path []any

func (p Path) at(step any) Path {
	next := make(Path, 0, len(p)+1)
	return append(append(next, p...), step)
}

// String writes the path as kubectl explain would: spec.hard["requests.nvidia.com/gpu"].
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case string:
			switch {
			case strings.ContainsAny(s, "./-"):
				fmt.Fprintf(&b, "[%q]", s)
			case b.Len() > 0:
				b.WriteString("." + s)
			default:
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

// Fields is the part of the path that runs through maps, up to the first list: a list is
// written and put back as a whole.
func (p Path) Fields() []string {
	var names []string
	for _, step := range p {
		name, ok := step.(string)
		if !ok {
			break
		}
		names = append(names, name)
	}
	return names
}

// Change is one field that differs: Want is what we own there (nil: nothing should
// stand there), Have is what stands (nil: nothing does).
type Change struct {
	Path       Path
	Want, Have any
}

// ownedWhole names the maps in which a key that we did not write is a change too: a
// limit that someone added to a quota binds the team as much as one they edited, and a label
// that they added to a selector leaves pods out of the policy.
var ownedWhole = map[string][]string{
	"NetworkPolicy": {"spec.podSelector"},
	"ResourceQuota": {"spec.hard"},
	"Queue":         {"spec.capability", "spec.deserved", "spec.guarantee.resource"},
}

// quantities names the subtrees whose strings are compared as amounts.
var quantities = map[string][]string{
	"ResourceQuota": {"spec.hard"},
	"LimitRange":    {"spec.limits"},
	"Queue":         {"spec.capability", "spec.deserved", "spec.guarantee.resource"},
}

// shared names the lists to which others may add, each with the key of its items: what
// we put in must be there, and what else is there is not ours.
var shared = map[string]map[string]string{"ServiceAccount": {"imagePullSecrets": "name"}}

// skipped names the fields that say which object it is rather than what it holds, and those
// of a Secret that never leave the API server (see Lost).
var skipped = map[string]bool{"apiVersion": true, "kind": true, "status": true, "data": true, "type": true}

// Diff lists the fields that we own (those that want holds) and that differ in have.
// Maps are compared key by key, lists as a whole and in order, quantities by meaning.
func Diff(want, have *objects.Object) []Change {
	d := differ{kind: want.GetKind()}
	for _, key := range sortedKeys(want.Object) {
		switch {
		case skipped[key]:
		case key == "metadata":
			for _, part := range []string{"annotations", "labels"} {
				if ours := child(want.Object[key], part); ours != nil { // else all of them are others'
					d.field(Path{key, part}, ours, child(have.Object[key], part))
				}
			}
		default:
			d.field(Path{key}, want.Object[key], have.Object[key])
		}
	}
	return d.changes
}

type differ struct {
	kind    string
	changes []Change
	exact   bool // within a list, where every field counts
}

func (d *differ) add(path Path, want, have any) {
	d.changes = append(d.changes, Change{Path: path, Want: want, Have: have})
}

func (d *differ) field(path Path, want, have any) {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok && have != nil {
			d.add(path, want, have)
			return
		}
		d.mapping(path, w, h)
	case []any:
		h, ok := have.([]any)
		if key := shared[d.kind][path.String()]; key != "" {
			d.items(path, key, w, h)
			return
		}
		if (!ok && have != nil) || len(w) != len(h) {
			d.add(path, want, have)
			return
		}
		d.list(path, w, h)
	default:
		if !d.equal(path, want, have) {
			d.add(path, want, have)
		}
	}
}

func (d *differ) mapping(path Path, want, have map[string]any) {
	for _, key := range sortedKeys(want) {
		d.field(path.at(key), want[key], have[key])
	}
	if !d.exact && !under(ownedWhole[d.kind], path) {
		return
	}
	for _, key := range sortedKeys(have) {
		if _, ours := want[key]; !ours && !empty(have[key]) {
			d.add(path.at(key), nil, have[key])
		}
	}
}

func (d *differ) list(path Path, want, have []any) {
	outer := d.exact
	d.exact = true
	for i := range want {
		d.field(path.at(i), want[i], have[i])
	}
	d.exact = outer
}

// items finds each wanted item of a shared list by its key.
func (d *differ) items(path Path, key string, want, have []any) {
	for i, item := range want {
		found := slices.IndexFunc(have, func(other any) bool { return child(other, key) == child(item, key) })
		if found < 0 {
			d.add(path.at(i), item, nil)
			continue
		}
		d.field(path.at(i), item, have[found])
	}
}
