// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func named(apiVersion, kind, name, rest string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n%s", apiVersion, kind, name, rest)
}

func summary(steps []Step) []string {
	var lines []string
	for _, step := range steps {
		lines = append(lines, string(step.Verb)+" "+objects.Ref(step.Object))
	}
	return lines
}

func TestSteps(t *testing.T) {
	space := named("v1", "Namespace", "vision", "")
	role := named("rbac.authorization.k8s.io/v1", "Role", "admins", "rules: [{verbs: [get]}]")
	binding := named("rbac.authorization.k8s.io/v1", "RoleBinding", "admins", "roleRef: {name: admins}")
	otherBinding := named("rbac.authorization.k8s.io/v1", "RoleBinding", "admins", "roleRef: {name: viewers}")
	class := named("scheduling.k8s.io/v1", "PriorityClass", "high", "value: 10\npreemptionPolicy: Never")
	higher := named("scheduling.k8s.io/v1", "PriorityClass", "high", "value: 20\npreemptionPolicy: Never")
	described := named("scheduling.k8s.io/v1", "PriorityClass", "high", "value: 10\npreemptionPolicy: Never\ndescription: x")
	queue := named("scheduling.volcano.sh/v1beta1", "Queue", "research", "spec: {weight: 1}")
	limited := named("scheduling.volcano.sh/v1beta1", "Queue", "research", "spec: {weight: 1, capability: {cpu: '1'}}")
	secret := named("v1", "Secret", "registry", "data: {a: eA==}")
	for _, test := range []struct {
		name              string
		want, prior, have []string
		steps             []string
	}{
		{"everything is new: in the order of needs", []string{queue, binding, role, class, space}, nil, nil, []string{
			"create Namespace vision", "create PriorityClass high", "create Role admins", "create RoleBinding admins", "create Queue research",
		}},
		{"nothing is to be done", []string{queue, class}, []string{queue, class}, []string{queue, class}, nil},
		{"what a killed run left is applied in any case", []string{queue}, nil, []string{queue}, []string{"apply Queue research"}},
		{"what was deleted is made again", []string{queue, class}, []string{queue, class}, []string{queue}, []string{"create PriorityClass high"}},
		{"what differs is applied", []string{limited}, []string{queue}, []string{queue}, []string{"apply Queue research"}},
		{"a field that is dropped is taken out", []string{queue}, []string{limited}, []string{limited}, []string{"apply Queue research"}},
		{"a Secret is written every time", []string{secret}, []string{secret}, []string{secret}, []string{"apply Secret registry"}},
		{"a new value of a class replaces it", []string{higher}, []string{class}, []string{class}, []string{"replace PriorityClass high"}},
		{"a new description of a class does not", []string{described}, []string{class}, []string{class}, []string{"apply PriorityClass high"}},
		{"a binding to another role is replaced", []string{otherBinding}, []string{binding}, []string{binding}, []string{"replace RoleBinding admins"}},
		{"what is not wanted goes last, in the opposite order", []string{queue}, nil, []string{role, space, binding, class}, []string{
			"create Queue research", "remove RoleBinding admins", "remove Role admins", "remove PriorityClass high", "remove Namespace vision",
		}},
		{"what is the cluster's own is given back", nil, nil, []string{
			named("v1", "ServiceAccount", "default", ""), named("v1", "ServiceAccount", "runner", ""),
			named("scheduling.volcano.sh/v1beta1", "Queue", "root", ""), named("scheduling.volcano.sh/v1beta1", "Queue", "default", ""),
		}, []string{"release Queue default", "release Queue root", "release ServiceAccount default", "remove ServiceAccount runner"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := func(texts []string) (list []*objects.Object) {
				for _, text := range texts {
					list = append(list, parse(t, text))
				}
				return list
			}
			got := Steps(Goal{Want: all(test.want), Prior: all(test.prior), Have: managed(t, all(test.have))})
			if diff := cmp.Diff(test.steps, summary(got)); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

// managed marks the data of Secrets as applied by us and takes it out, as it is read back.
func managed(t *testing.T, list []*objects.Object) []*objects.Object {
	t.Helper()
	for _, object := range list {
		if object.GetKind() == "Secret" {
			object.SetManagedFields(fieldsOf(t, FieldManager, "2026-11-30T10:00:00Z", `{"f:data":{"f:a":{}}}`))
			delete(object.Object, "data")
		}
	}
	return list
}

func TestStepsNamesDroppedFields(t *testing.T) {
	prior := parse(t, named("scheduling.volcano.sh/v1beta1", "Queue", "q", "spec: {weight: 1, parent: lab, capability: {cpu: '1', memory: 1Gi}}"))
	want := parse(t, named("scheduling.volcano.sh/v1beta1", "Queue", "q", "spec: {weight: 2, capability: {cpu: '1'}}"))
	steps := Steps(Goal{Want: []*objects.Object{want}, Prior: []*objects.Object{prior}, Have: []*objects.Object{prior}})
	if len(steps) != 1 {
		t.Fatalf("got %d steps", len(steps))
	}
	dropped := []string{`spec.capability.memory: "1Gi" -> (none)`, `spec.parent: "lab" -> (none)`}
	if diff := cmp.Diff(dropped, written(steps[0].Dropped)); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
}
