// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// FuzzDiff gives Diff objects of any shape, as a hand or another version of an API may make
// them: it never panics, finds nothing between equals, and every change has a line.
func FuzzDiff(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"kind":"Queue","spec":{"capability":{"cpu":"1"}}}`, `{"kind":"Queue","spec":{"capability":[1]}}`},
		{`{"kind":"Queue","spec":{"capability":{"cpu":"1"}}}`, `{"kind":"Queue","spec":"x"}`},
		{`{"kind":"NetworkPolicy","spec":{"egress":[{"to":[{}]}]}}`, `{"kind":"NetworkPolicy","spec":{"egress":[[[]],null]}}`},
		{`{"kind":"Secret","metadata":{"labels":[1],"managedFields":[{"fieldsV1":{"f:data":1}}]}}`, `{"metadata":7}`},
		{`{"kind":"ResourceQuota","spec":{"hard":{"":{}," ":[],"a/b":0}}}`, `{"spec":{"hard":{"":1}}}`},
		{`{"kind":7}`, `{}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, wantText, haveText string) {
		want, have := &objects.Object{}, &objects.Object{}
		if json.Unmarshal([]byte(wantText), &want.Object) != nil || json.Unmarshal([]byte(haveText), &have.Object) != nil {
			return
		}
		if want.Object == nil || have.Object == nil {
			return
		}
		if same := Diff(want, want); len(same) > 0 {
			t.Fatalf("an object differs from itself: %s", written(same))
		}
		changes := Diff(want, have)
		for _, change := range changes {
			if text := change.Path.String(); !utf8.ValidString(text) && utf8.ValidString(wantText+haveText) {
				t.Fatalf("%q", text)
			}
		}
		if lines := (Drift{Object: want, Live: have, Changes: changes}).Lines(); have.GetDeletionTimestamp() == nil && len(lines) != len(changes) {
			t.Fatalf("%d changes, %d lines", len(changes), len(lines))
		}
		Undo(Step{Verb: Apply, Object: want, Live: have, Changes: changes})
		Lost(want, have)
	})
}
