// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func fieldsOf(t *testing.T, manager, at, fields string) []metav1.ManagedFieldsEntry {
	t.Helper()
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	return []metav1.ManagedFieldsEntry{{
		Manager: manager, Time: &metav1.Time{Time: when}, FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(fields), Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
	}}
}

func TestAuthor(t *testing.T) {
	const early, late = "2026-11-30T10:00:00Z", "2026-11-30T11:00:00Z"
	join := func(lists ...[]metav1.ManagedFieldsEntry) (all []metav1.ManagedFieldsEntry) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	status := fieldsOf(t, "volcano", late, `{"f:status":{"f:state":{}}}`)
	status[0].Subresource = "status"
	odd := fieldsOf(t, "odd", late, `{"nobody knows":{}}`)
	capability := Path{"spec", "capability", "cpu"}
	for _, test := range []struct {
		name    string
		managed []metav1.ManagedFieldsEntry
		path    Path
		want    string
	}{
		{"who owns the field", fieldsOf(t, "kubectl-edit", early, `{"f:spec":{"f:capability":{"f:cpu":{}}}}`), capability, ", by kubectl-edit at " + early},
		{"who owns the map as a whole", fieldsOf(t, "kubectl-edit", early, `{"f:spec":{"f:capability":{}}}`), capability, ", by kubectl-edit at " + early},
		{"who owns the list that it lies in", fieldsOf(t, "kubectl-edit", early, `{"f:spec":{"f:egress":{}}}`), Path{"spec", "egress", 0, "ports"}, ", by kubectl-edit at " + early},
		{"who owns something below it", fieldsOf(t, "kubectl-edit", early, `{"f:spec":{"f:capability":{"f:cpu":{}}}}`), Path{"spec", "capability"}, ", by kubectl-edit at " + early},
		{
			"the latest of two owners",
			join(fieldsOf(t, "a", late, `{"f:spec":{"f:capability":{"f:cpu":{}}}}`), fieldsOf(t, "b", early, `{"f:spec":{"f:capability":{"f:cpu":{}}}}`)),
			capability, ", by a at " + late,
		},
		{
			"an owner goes before a later writer of other fields",
			join(fieldsOf(t, "a", early, `{"f:spec":{"f:capability":{"f:cpu":{}}}}`), fieldsOf(t, "b", late, `{"f:spec":{"f:weight":{}}}`)),
			capability, ", by a at " + early,
		},
		{"nobody owns it: the last writer of the object", fieldsOf(t, "b", late, `{"f:spec":{"f:capability":{".":{},"f:memory":{}}}}`), capability, ", last written by b at " + late},
		{"never ourselves", fieldsOf(t, FieldManager, late, `{"f:spec":{"f:capability":{"f:cpu":{}}}}`), capability, ""},
		{"never a controller's status", status, capability, ""},
		{"fields that cannot be read", odd, capability, ", last written by odd at " + late},
		{"nothing is known", nil, capability, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := parse(t, named("scheduling.volcano.sh/v1beta1", "Queue", "q", ""))
			live.SetManagedFields(test.managed)
			if got := authorOf(live, Change{Path: test.path}).text(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestLostContentsOfASecret(t *testing.T) {
	const at = "2026-11-30T10:00:00Z"
	ours := fieldsOf(t, FieldManager, at, `{"f:data":{".":{},"f:.dockerconfigjson":{}}}`)
	for _, test := range []struct {
		name, kind string
		managed    []metav1.ManagedFieldsEntry
		want       []string
	}{
		{"as we wrote them", "Secret", ours, nil},
		{"rewritten by somebody", "Secret", fieldsOf(t, "kubectl-edit", at, `{"f:data":{"f:.dockerconfigjson":{}}}`), []string{`data: "as applied" -> "rewritten"`}},
		{"a key added by somebody", "Secret", append(fieldsOf(t, "kubectl-edit", at, `{"f:data":{"f:more":{}}}`), ours...), []string{`data: "as applied" -> "also written by kubectl-edit"`}},
		{"a label added by somebody", "Secret", append(fieldsOf(t, "kubectl-label", at, `{"f:metadata":{"f:labels":{"f:a":{}}}}`), ours...), nil},
		{"we hold a label and no data", "Secret", fieldsOf(t, FieldManager, at, `{"f:metadata":{"f:labels":{"f:a":{}}}}`), []string{`data: "as applied" -> "rewritten"`}},
		{"nothing is known", "Secret", nil, []string{`data: "as applied" -> "rewritten"`}},
		{"not a Secret", "ConfigMap", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, have := parse(t, named("v1", test.kind, "s", "")), parse(t, named("v1", test.kind, "s", ""))
			have.SetManagedFields(test.managed)
			if diff := cmp.Diff(test.want, written(Lost(want, have))); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}
