// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// writer is one entry of managedFields.
type writer struct {
	manager, subresource, at, fields string
	applied                          bool
}

func writtenBy(t *testing.T, writers ...writer) *objects.Object {
	t.Helper()
	object := parse(t, named("apps/v1", "Deployment", "serve", "spec: {}"))
	var all []metav1.ManagedFieldsEntry
	for _, w := range writers {
		if w.at == "" {
			w.at = "2026-11-30T10:00:00Z"
		}
		entry := fieldsOf(t, w.manager, w.at, w.fields)[0]
		entry.Subresource = w.subresource
		if w.applied {
			entry.Operation = metav1.ManagedFieldsOperationApply
		}
		all = append(all, entry)
	}
	object.SetManagedFields(all)
	return object
}

const (
	ours      = `{"f:spec":{"f:replicas":{},"f:paused":{}}}`
	oursLess  = `{"f:spec":{"f:replicas":{}}}`
	oursFixed = `{"f:spec":{"f:paused":{}}}`
	scaled    = `{"f:spec":{"f:replicas":{}}}`
)

func TestPrintTellsWhetherAnythingOfOursWasTaken(t *testing.T) {
	mine := writer{manager: FieldManager, fields: ours, applied: true}
	base := writtenBy(t, mine)
	for _, test := range []struct {
		name string
		live *objects.Object
		same bool
	}{
		{"nothing happened", writtenBy(t, mine), true},
		{"somebody added a field of their own", writtenBy(t, mine, writer{manager: "kubectl-edit", fields: `{"f:metadata":{"f:annotations":{"f:x":{}}}}`}), true},
		{"a controller wrote the status", writtenBy(t, mine, writer{manager: controllers, subresource: "status", fields: `{"f:status":{}}`}), true},
		{"somebody took a field", writtenBy(t, writer{manager: FieldManager, fields: oursLess, applied: true}, writer{manager: "kubectl-edit", fields: oursFixed}), false},
		{"replicas are looked at apart", writtenBy(t, writer{manager: FieldManager, fields: oursFixed, applied: true}), true},
		{"our entry was wiped", writtenBy(t), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, _ := Print(base)
			after, _ := Print(test.live)
			if (before == after) != test.same {
				t.Errorf("prints %s and %s, same should be %v", before, after, test.same)
			}
		})
	}
}

func TestPrintOfWhatOthersMade(t *testing.T) {
	helm := writer{manager: "helm", fields: ours, at: "2026-11-30T10:00:00Z"}
	before, owned := Print(writtenBy(t, helm))
	if !owned {
		t.Error("replicas are not seen as set")
	}
	later := helm
	later.at = "2026-11-30T10:00:01Z"
	if after, _ := Print(writtenBy(t, later)); after == before {
		t.Error("a later write by the same hand is not seen")
	}
	deployment := writer{manager: controllers, fields: `{"f:metadata":{"f:annotations":{"f:deployment.kubernetes.io/revision":{}}}}`}
	if after, _ := Print(writtenBy(t, helm, deployment)); after != before {
		t.Error("what Kubernetes' own controllers note down is taken for a change")
	}
}

func TestAutoscaled(t *testing.T) {
	for _, test := range []struct {
		name string
		by   writer
		want bool
	}{
		{"an autoscaler", writer{manager: controllers, subresource: "scale", fields: scaled}, true},
		{"kubectl scale", writer{manager: "kubectl", subresource: "scale", fields: scaled}, false},
		{"kubectl edit", writer{manager: "kubectl-edit", fields: scaled}, false},
		{"a controller that writes something else", writer{manager: controllers, subresource: "scale", fields: oursFixed}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Autoscaled(writtenBy(t, test.by)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestHelmManagersAreKnownWhateverTheirProgramIsCalled(t *testing.T) {
	annotated := `{"f:metadata":{"f:annotations":{"f:meta.helm.sh/release-name":{}}},"f:data":{}}`
	for _, test := range []struct {
		name string
		live *objects.Object
		want int
	}{
		{"the helm command", writtenBy(t, writer{manager: "helm", fields: oursFixed}), 1},
		{"another program with the SDK", writtenBy(t, writer{manager: "terraform-provider-helm_v3", fields: annotated}), 1},
		{"kubectl", writtenBy(t, writer{manager: "kubectl-edit", fields: oursFixed}), 0},
		{"what Helm applies server-side", writtenBy(t, writer{manager: "helm", fields: annotated, applied: true}), 0},
	} {
		if got := HelmManagers(test.live); len(got) != test.want {
			t.Errorf("%s: %v, want %d", test.name, got, test.want)
		}
	}
}

func TestAutoscalerIsWhoeverWritesTheStatus(t *testing.T) {
	for _, test := range []struct {
		name string
		live *objects.Object
		want bool
	}{
		{"a program with its version in the name", writtenBy(t, writer{manager: controllers + "-v1.36.3", subresource: "scale", fields: scaled}), true},
		{"a distribution's own program", writtenBy(t,
			writer{manager: "k3s", subresource: "scale", fields: scaled}, writer{manager: "k3s", subresource: "status", fields: `{"f:status":{}}`}), true},
		{"a person", writtenBy(t,
			writer{manager: "kubectl", subresource: "scale", fields: scaled}, writer{manager: controllers, subresource: "status", fields: `{"f:status":{}}`}), false},
	} {
		if got := Autoscaled(test.live); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
