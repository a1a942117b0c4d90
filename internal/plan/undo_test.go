// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// server is the part of server-side apply that matters here: what is applied is set, what was
// applied before and is not now is removed, and whoever applies owns.
type server struct {
	object *objects.Object
	owned  [][]string
}

func (s *server) apply(t *testing.T, want *objects.Object) {
	t.Helper()
	now := leaves(want.Object)
	kept := map[string]bool{}
	for _, path := range now {
		kept[fmt.Sprint(path)] = true
	}
	for _, path := range s.owned {
		value, _, _ := unstructured.NestedFieldNoCopy(s.object.Object, path...)
		if others, isMap := value.(map[string]any); !kept[fmt.Sprint(path)] && (!isMap || len(others) == 0) {
			unstructured.RemoveNestedField(s.object.Object, path...)
		}
	}
	for _, path := range now {
		value, _, err := unstructured.NestedFieldCopy(want.Object, path...)
		if _, isMap := value.(map[string]any); isMap { // an empty one, which leaves what others have in it
			continue
		}
		if err == nil {
			err = unstructured.SetNestedField(s.object.Object, value, path...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range Diff(want, s.object) { // keys of others in maps that are owned whole
		if change.Want == nil {
			unstructured.RemoveNestedField(s.object.Object, change.Path.Fields()...)
		}
	}
	s.owned = now
}

// leaves are the paths of everything in a map that is no map with something in it.
func leaves(content map[string]any) (paths [][]string) {
	for key, value := range content {
		below, isMap := value.(map[string]any)
		if !isMap || len(below) == 0 {
			paths = append(paths, []string{key})
			continue
		}
		for _, path := range leaves(below) {
			paths = append(paths, append([]string{key}, path...))
		}
	}
	return paths
}

// pruned is content without empty maps and lists, which mean the same as none.
func pruned(value any) any {
	content, isMap := value.(map[string]any)
	if !isMap {
		return value
	}
	kept := map[string]any{}
	for key, below := range content {
		if below = pruned(below); !empty(below) {
			kept[key] = below
		}
	}
	return kept
}

// anyObject makes an object of a kind with fields of every form, each there or not.
func anyObject(random *rand.Rand, kind string) *objects.Object {
	texts := func() any {
		content := map[string]any{}
		for _, key := range []string{"cpu", "memory", "nvidia.com/gpu", "pods"} {
			if random.IntN(2) == 0 {
				content[key] = []string{"1", "500m", "2", "64Gi", "1Ti"}[random.IntN(5)]
			}
		}
		return content
	}
	list := func() any {
		content := make([]any, 1+random.IntN(2))
		for i := range content {
			content[i] = map[string]any{"port": int64(random.IntN(3)), "to": texts()}
		}
		return content
	}
	forms := []struct {
		key  string
		make func() any
	}{
		{"weight", func() any { return int64(random.IntN(3)) }},
		{"parent", func() any { return []string{"lab", "root"}[random.IntN(2)] }},
		{"reclaimable", func() any { return random.IntN(2) == 0 }},
		{"hard", texts},
		{"capability", texts},
		{"selector", texts},
		{"rules", list},
		{"guarantee", func() any { return map[string]any{"resource": texts()} }},
	}
	spec := map[string]any{}
	for _, form := range forms {
		if random.IntN(3) > 0 {
			spec[form.key] = form.make()
		}
	}
	return &objects.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "x", "labels": texts()}, "spec": spec,
	}}
}

// TestUndoRestoresWhatStood: whatever was wanted before, is wanted now and stood, to apply a
// step and then its undo leaves what stood.
func TestUndoRestoresWhatStood(t *testing.T) {
	for _, kind := range []string{"Queue", "ResourceQuota", "NetworkPolicy"} {
		random := rand.New(rand.NewPCG(1, 2))
		for round := range 500 {
			prior, want, drifted := anyObject(random, kind), anyObject(random, kind), anyObject(random, kind)
			s := &server{object: &objects.Object{Object: map[string]any{}}}
			s.apply(t, prior)
			if random.IntN(2) == 0 { // somebody else wrote over it
				s.object = drifted
			}
			stood := s.object.DeepCopy()
			steps := Steps(Goal{Want: []*objects.Object{want}, Prior: []*objects.Object{prior}, Have: []*objects.Object{stood.DeepCopy()}})
			if len(steps) == 0 {
				continue
			}
			s.apply(t, steps[0].Object)
			if left := Diff(want, s.object); len(left) > 0 {
				t.Fatalf("round %d: the step does not bring about what is wanted: %s", round, written(left))
			}
			s.apply(t, Undo(steps[0]))
			if diff := cmp.Diff(pruned(stood.Object), pruned(s.object.Object)); diff != "" {
				t.Fatalf("%s, round %d: not restored (-stood +now):\n%s", kind, round, diff)
			}
		}
	}
}

func TestUndoKeepsWhatASecretHolds(t *testing.T) {
	want := parse(t, named("v1", "Secret", "s", "data: {a: eA==}\ntype: Opaque"))
	live := parse(t, named("v1", "Secret", "s", ""))
	step := Steps(Goal{Want: []*objects.Object{want}, Prior: []*objects.Object{want}, Have: []*objects.Object{live}})[0]
	if diff := cmp.Diff(want.Object, Undo(step).Object); diff != "" {
		t.Errorf("undo (-want +got):\n%s", diff)
	}
}
