// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// What the rules of roles grant. No role holds "escalate", "bind" or "impersonate", and
// none may change quotas, limits or network policies: those are the platform's.
var (
	read  = []string{"get", "list", "watch"}
	write = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
)

// grant is a rule of a role, by API group.
type grant struct {
	group     string
	resources []string
	verbs     []string
}

// jobs are the kinds of work that run on GPUs, each with the group that defines it.
// A cluster without one of them ignores its rule.
func jobs(verbs []string) []grant {
	return []grant{
		{"batch", []string{"jobs", "cronjobs"}, verbs},
		{"batch.volcano.sh", []string{"jobs"}, verbs},
		{"flow.volcano.sh", []string{"jobflows", "jobtemplates"}, verbs},
		{"jobset.x-k8s.io", []string{"jobsets"}, verbs},
		{"kubeflow.org", []string{"jaxjobs", "mpijobs", "paddlejobs", "pytorchjobs", "tfjobs", "xgboostjobs"}, verbs},
		{"ray.io", []string{"rayclusters", "rayjobs", "rayservices"}, verbs},
		{"trainer.kubeflow.org", []string{"trainjobs", "trainingruntimes"}, verbs},
	}
}

// volumes are what data lives in.
func volumes(verbs []string) []grant {
	return []grant{
		{"", []string{"persistentvolumeclaims"}, verbs},
		{"snapshot.storage.k8s.io", []string{"volumesnapshots"}, verbs},
	}
}

// workloads are what keeps running, such as notebooks and inference servers.
func workloads(verbs []string) []grant {
	return []grant{
		{"", []string{"configmaps", "services"}, verbs},
		{"apps", []string{"deployments", "deployments/scale", "replicasets", "replicasets/scale", "statefulsets", "statefulsets/scale"}, verbs},
		{"autoscaling", []string{"horizontalpodautoscalers"}, verbs},
		{"networking.k8s.io", []string{"ingresses"}, verbs},
		{"policy", []string{"poddisruptionbudgets"}, verbs},
	}
}

// everything to read but secrets.
var viewing = slices.Concat(jobs(read), volumes(read), workloads(read), []grant{
	{"", []string{"endpoints", "events", "limitranges", "namespaces", "pods", "pods/log", "pods/status", "replicationcontrollers", "resourcequotas", "resourcequotas/status", "serviceaccounts"}, read},
	{"apps", []string{"controllerrevisions", "daemonsets"}, read},
	{"coordination.k8s.io", []string{"leases"}, read},
	{"discovery.k8s.io", []string{"endpointslices"}, read},
	{"events.k8s.io", []string{"events"}, read},
	{"networking.k8s.io", []string{"networkpolicies"}, read},
	{rbacGroup, []string{"rolebindings", "roles"}, read},
	{"scheduling.volcano.sh", []string{"podgroups"}, read},
})

// intoPods is what debugging needs of a running pod.
var intoPods = []grant{
	{"", []string{"pods/attach", "pods/exec", "pods/portforward"}, []string{"create", "get"}},
}

// newSecrets lets a job bring its own token without a look at the secrets of others.
var newSecrets = []grant{
	{"", []string{"secrets"}, []string{"create"}},
}

// roleRules are the rules of each role, ready to be rendered.
var roleRules = map[spec.Role][]any{
	spec.Admins: rules(
		viewing, intoPods, jobs(write), volumes(write), workloads(write),
		[]grant{
			{"", []string{"pods", "secrets", "serviceaccounts"}, write},
			{"", []string{"pods/ephemeralcontainers"}, []string{"get", "patch", "update"}},
			{"", []string{"pods/eviction", "serviceaccounts/token"}, []string{"create"}},
			{"apps", []string{"daemonsets"}, write},
			{"bus.volcano.sh", []string{"commands"}, write},
			{"coordination.k8s.io", []string{"leases"}, write},
			{rbacGroup, []string{"rolebindings", "roles"}, write},
		},
	),
	spec.Engineers: rules(
		viewing, intoPods, newSecrets, jobs(write),
		[]grant{
			{"", []string{"configmaps", "services"}, write},
			{"bus.volcano.sh", []string{"commands"}, []string{"create"}},
		},
	),
	spec.DataEngineers: rules(
		viewing, intoPods, newSecrets, volumes(write),
		[]grant{
			{"", []string{"configmaps"}, write},
			{"batch", []string{"cronjobs", "jobs"}, write},
		},
	),
	spec.Viewers: rules(viewing),
}

// rules renders grants, sorted by group. All verbs on one resource come together, and
// resources with the same verbs share a rule.
func rules(lists ...[]grant) []any {
	type target struct{ group, resource string }
	verbs := map[target][]string{}
	for _, g := range slices.Concat(lists...) {
		for _, resource := range g.resources {
			at := target{g.group, resource}
			verbs[at] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(verbs[at], g.verbs))))
		}
	}
	type sharing struct{ group, verbs string }
	resources := map[sharing][]string{}
	for at, list := range verbs {
		same := sharing{at.group, strings.Join(list, " ")}
		resources[same] = append(resources[same], at.resource)
	}
	rendered := make([]any, 0, len(resources))
	for _, same := range slices.SortedFunc(maps.Keys(resources), func(a, b sharing) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.verbs, b.verbs))
	}) {
		rendered = append(rendered, map[string]any{
			"apiGroups": []any{same.group},
			"resources": anys(slices.Sorted(slices.Values(resources[same]))),
			"verbs":     anys(strings.Fields(same.verbs)),
		})
	}
	return rendered
}
