// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	type m = map[string]any
	for _, test := range []struct {
		name   string
		layers []map[string]any
		want   m
	}{
		{"nothing", nil, m{}},
		{"maps key by key", []map[string]any{{"a": m{"x": 1.0, "y": 2.0}}, {"a": m{"y": 3.0}}}, m{"a": m{"x": 1.0, "y": 3.0}}},
		{"lists as a whole", []map[string]any{{"a": []any{"x", "y"}}, {"a": []any{"z"}}}, m{"a": []any{"z"}}},
		{"a text in place of a map", []map[string]any{{"a": m{"x": 1.0}}, {"a": "off"}}, m{"a": "off"}},
		{"a map in place of a text", []map[string]any{{"a": "off"}, {"a": m{"x": 1.0}}}, m{"a": m{"x": 1.0}}},
		{"null takes away, for the chart too", []map[string]any{{"a": m{"x": 1.0}}, {"a": nil}}, m{"a": nil}},
		{"the last layer wins", []map[string]any{{"a": "1"}, nil, {"a": "2"}, {"a": "3"}}, m{"a": "3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Merge(test.layers...)); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMergeLeavesItsLayersAlone(t *testing.T) {
	first := map[string]any{"a": map[string]any{"x": "1"}}
	merged := Merge(first, map[string]any{"a": map[string]any{"x": "2", "y": "3"}})
	lay(merged, map[string]any{"a": map[string]any{"x": "4"}})
	if diff := cmp.Diff(map[string]any{"a": map[string]any{"x": "1"}}, first); diff != "" {
		t.Errorf("the first layer was changed (-was +is):\n%s", diff)
	}
}

func TestInputs(t *testing.T) {
	base := Want{Values: map[string]any{"a": map[string]any{"b": int64(1)}}, Options: Options{CRDs: CRDsApply}}
	digest := base.Inputs("sha256:1")
	same := base
	same.Values = map[string]any{"a": map[string]any{"b": 1.0}}
	same.Secret = map[string]any{"password": "x"}
	same.NoWait, same.History = true, 7
	if same.Inputs("sha256:1") != digest {
		t.Error("secrets, waiting and history change what the release is made of")
	}
	for name, change := range map[string]func(*Want){
		"values":            func(w *Want) { w.Values = map[string]any{"a": map[string]any{"b": int64(2)}} },
		"definitions":       func(w *Want) { w.CRDs = CRDsSkip },
		"hooks":             func(w *Want) { w.SkipHooks = true },
		"secrets' revision": func(w *Want) { w.Secrets = "2" },
	} {
		other := base
		change(&other)
		if other.Inputs("sha256:1") == digest {
			t.Errorf("other %s are not seen", name)
		}
	}
	if base.Inputs("sha256:2") == digest {
		t.Error("another chart is not seen")
	}
}
