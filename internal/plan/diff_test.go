// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written shows changes as "path: want -> have".
func written(changes []Change) []string {
	var lines []string
	for _, change := range changes {
		lines = append(lines, fmt.Sprintf("%s: %s -> %s", change.Path, show(change.Want), show(change.Have)))
	}
	return lines
}

func TestDiff(t *testing.T) {
	const (
		queue   = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n"
		quota   = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\n"
		policy  = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\n"
		space   = "apiVersion: v1\nkind: Namespace\n"
		account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default}\n"
		secret  = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
		class   = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: c}\n"
	)
	for _, test := range []struct {
		name, want, have string
		changes          []string
	}{
		{"nothing differs", queue + "spec: {weight: 2}", queue + "spec: {weight: 2}", nil},
		{"a field differs", queue + "spec: {weight: 2}", queue + "spec: {weight: 3}", []string{"spec.weight: 2 -> 3"}},
		{"a field is gone", queue + "spec: {weight: 2}", queue + "spec: {}", []string{"spec.weight: 2 -> (none)"}},
		{"the spec is gone", queue + "spec: {weight: 2}", queue, []string{"spec.weight: 2 -> (none)"}},
		{"fields of others do not count", queue + "spec: {weight: 2}", queue + "spec: {weight: 2, type: x, parent: root}", nil},
		{"status does not count", queue + "status: {state: Open}", queue + "status: {state: Closed}", nil},
		{"whole numbers equal their float form", queue + "spec: {weight: 2}", queue + "spec: {weight: 2.0}", nil},
		{"a number is not its text", queue + "spec: {weight: 2}", queue + "spec: {weight: '2'}", []string{`spec.weight: 2 -> "2"`}},

		{"quantities are compared by meaning", queue + "spec: {capability: {cpu: 1000m, memory: 1Ti}}", queue + "spec: {capability: {cpu: '1', memory: 1024Gi}}", nil},
		{"quantities of a quota too", quota + "spec: {hard: {requests.cpu: '1'}}", quota + "spec: {hard: {requests.cpu: 1000m}}", nil},
		{"quantities that differ", queue + "spec: {deserved: {cpu: '1'}}", queue + "spec: {deserved: {cpu: '2'}}", []string{`spec.deserved.cpu: "1" -> "2"`}},
		{"texts elsewhere are compared letter by letter", queue + "spec: {parent: '1'}", queue + "spec: {parent: 1000m}", []string{`spec.parent: "1" -> "1000m"`}},
		{"a priority of 0 is left out by the API", queue + "spec: {priority: 0}", queue + "spec: {weight: 1}", nil},
		{"a priority of 0 that was raised", queue + "spec: {priority: 0}", queue + "spec: {priority: 5}", []string{"spec.priority: 0 -> 5"}},

		{
			"a key added to a map that is owned whole", quota + "spec: {hard: {pods: '5'}}", quota + "spec: {hard: {pods: '5', requests.nvidia.com/gpu: '0'}}",
			[]string{`spec.hard["requests.nvidia.com/gpu"]: (none) -> "0"`},
		},
		{"a key added to a guarantee", queue + "spec: {guarantee: {resource: {cpu: '1'}}}", queue + "spec: {guarantee: {resource: {cpu: '1', memory: 1Gi}}}", []string{`spec.guarantee.resource.memory: (none) -> "1Gi"`}},
		{"a map that is not ours at all", queue + "spec: {weight: 1}", queue + "spec: {weight: 1, capability: {cpu: '1'}}", nil},

		{"labels and annotations are compared key by key", space + "metadata: {name: n, labels: {a: x}, annotations: {b: v}}", space + "metadata: {name: n, labels: {a: z, c: d}}", []string{`metadata.annotations.b: "v" -> (none)`, `metadata.labels.a: "x" -> "z"`}},
		{"annotations of others where we have none", space + "metadata: {name: n, labels: {a: x}}", space + "metadata: {name: n, labels: {a: x}, annotations: {b: y}}", nil},
		{"the rest of metadata does not count", space + "metadata: {name: n, finalizers: [x]}", space + "metadata: {name: n, uid: u}", nil},

		{"an empty map is none", policy + "spec: {podSelector: {}}", policy + "spec: {policyTypes: [Ingress]}", nil},
		{"an empty list is none", policy + "spec: {ingress: []}", policy + "spec: {}", nil},
		{"null is none", policy + "spec: {ingress: null}", policy + "spec: {ingress: []}", nil},
		{"a list that was filled", policy + "spec: {ingress: []}", policy + "spec: {ingress: [{}]}", []string{"spec.ingress: (none) -> [{}]"}},
		{"a list of another length is one change", policy + "spec: {policyTypes: [Ingress, Egress]}", policy + "spec: {policyTypes: [Ingress]}", []string{`spec.policyTypes: ["Ingress","Egress"] -> ["Ingress"]`}},
		{"a list is in order", policy + "spec: {policyTypes: [Ingress, Egress]}", policy + "spec: {policyTypes: [Egress, Ingress]}", []string{`spec.policyTypes[0]: "Ingress" -> "Egress"`, `spec.policyTypes[1]: "Egress" -> "Ingress"`}},
		{
			"within a list every field counts", policy + "spec: {egress: [{ports: [{port: 53}]}]}", policy + "spec: {egress: [{ports: [{port: 53, endPort: 99}], to: []}]}",
			[]string{"spec.egress[0].ports[0].endPort: (none) -> 99"},
		},
		{
			"an emptied selector in a list opens everything", policy + "spec: {egress: [{to: [{podSelector: {matchLabels: {a: b}}}]}]}", policy + "spec: {egress: [{}]}",
			[]string{`spec.egress[0].to: [{"podSelector":{"matchLabels":{"a":"b"}}}] -> (none)`},
		},
		{
			"a selector of every pod that was narrowed", policy + "spec: {podSelector: {}}", policy + "spec: {podSelector: {matchLabels: {a: b}}}",
			[]string{`spec.podSelector.matchLabels: (none) -> {"a":"b"}`},
		},
		{"others may add to the pull secrets of an account", account + "imagePullSecrets: [{name: ours}]", account + "imagePullSecrets: [{name: theirs}, {name: ours}]", nil},
		{"a pull secret of ours that was taken out", account + "imagePullSecrets: [{name: ours}]", account + "imagePullSecrets: [{name: theirs}]", []string{`imagePullSecrets[0]: {"name":"ours"} -> (none)`}},
		{"a map where a list was", policy + "spec: {ingress: [{}]}", policy + "spec: {ingress: {a: b}}", []string{`spec.ingress: [{}] -> {"a":"b"}`}},
		{"a text where a map was", policy + "spec: {podSelector: {a: b}}", policy + "spec: {podSelector: x}", []string{`spec.podSelector: {"a":"b"} -> "x"`}},

		{"what a Secret holds is not compared", secret + "type: Opaque\ndata: {a: eA==}", secret, nil},
		{"fields beside the spec count", class + "value: 10", class + "value: 20", []string{"value: 10 -> 20"}},
		{"false is not none", class + "globalDefault: false", class, []string{"globalDefault: false -> (none)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, have := parse(t, test.want), parse(t, test.have)
			if diff := cmp.Diff(test.changes, written(Diff(want, have))); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPathString(t *testing.T) {
	for want, path := range map[string]Path{
		"":                                     nil,
		"spec.weight":                          {"spec", "weight"},
		`spec.hard["requests.nvidia.com/gpu"]`: {"spec", "hard", "requests.nvidia.com/gpu"},
		`metadata.labels["a-b"]`:               {"metadata", "labels", "a-b"},
		"spec.egress[0].ports[1]":              {"spec", "egress", 0, "ports", 1},
	} {
		if got := path.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
