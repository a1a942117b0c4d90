// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestDriftLines compares the text of every form of drift with testdata/drift.txt.
func TestDriftLines(t *testing.T) {
	const at = "2026-11-30T18:00:12Z"
	queue := func(spec string) *objects.Object {
		return parse(t, named("scheduling.volcano.sh/v1beta1", "Queue", "p0", "spec: "+spec))
	}
	policy := parse(t, "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: trainyard-default-deny, namespace: vision}\nspec: {podSelector: {}, policyTypes: [Ingress, Egress]}")
	edited := queue(`{weight: 20, capability: {cpu: "64", nvidia.com/gpu: "40", memory: 1Ti}}`)
	edited.SetManagedFields(fieldsOf(t, "kubectl-patch", at, `{"f:spec":{"f:capability":{"f:nvidia.com/gpu":{},"f:memory":{}}}}`))
	leaving := policy.DeepCopy()
	if err := unstructured.SetNestedField(leaving.Object, at, "metadata", "deletionTimestamp"); err != nil {
		t.Fatal(err)
	}
	open := policy.DeepCopy()
	if err := unstructured.SetNestedField(open.Object, []any{"Ingress"}, "spec", "policyTypes"); err != nil {
		t.Fatal(err)
	}
	want := queue(`{weight: 20, parent: lab, capability: {cpu: "64", nvidia.com/gpu: "16"}}`)
	var lines []string
	for _, drift := range []Drift{
		{Object: want, Live: edited, Changes: Diff(want, edited)},
		{Object: policy, Live: open, Changes: Diff(policy, open)},
		{Object: policy, Live: leaving},
		{Object: policy},
		{Object: policy, Live: policy, Unwanted: true},
	} {
		lines = append(lines, drift.Lines()...)
	}
	got, file := strings.Join(lines, "\n")+"\n", filepath.Join("testdata", "drift.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(golden), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestLongValuesAreCutBetweenLetters(t *testing.T) {
	for length := longest - 4; length < longest+4; length++ {
		text := show(strings.Repeat("x", length) + "äöü漢字" + strings.Repeat("y", longest))
		if !utf8.ValidString(text) || !strings.HasSuffix(text, "...") {
			t.Fatalf("%q", text)
		}
	}
}
