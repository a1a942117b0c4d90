// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"slices"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// may says whether a role holds a verb on a resource.
func may(role spec.Role, verb, group, resource string) bool {
	return slices.ContainsFunc(children(map[string]any{"rules": roleRules[role]}, "rules"), func(rule map[string]any) bool {
		return slices.Contains(texts(rule, "apiGroups"), group) &&
			slices.Contains(texts(rule, "resources"), resource) && slices.Contains(texts(rule, "verbs"), verb)
	})
}

func TestRolesGrantWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		verb, group, resource string
		holders               []spec.Role
	}{
		{"get", "", "pods", spec.Roles},
		{"get", "", "pods/log", spec.Roles},
		{"get", "", "resourcequotas", spec.Roles},
		{"create", "", "pods/exec", []spec.Role{spec.Admins, spec.Engineers, spec.DataEngineers}},
		{"create", "", "pods", []spec.Role{spec.Admins}},
		{"create", "batch", "jobs", []spec.Role{spec.Admins, spec.Engineers, spec.DataEngineers}},
		{"create", "batch.volcano.sh", "jobs", []spec.Role{spec.Admins, spec.Engineers}},
		{"delete", "kubeflow.org", "pytorchjobs", []spec.Role{spec.Admins, spec.Engineers}},
		{"create", "trainer.kubeflow.org", "trainjobs", []spec.Role{spec.Admins, spec.Engineers}},
		{"create", "ray.io", "rayjobs", []spec.Role{spec.Admins, spec.Engineers}},
		{"create", "", "persistentvolumeclaims", []spec.Role{spec.Admins, spec.DataEngineers}},
		{"create", "snapshot.storage.k8s.io", "volumesnapshots", []spec.Role{spec.Admins, spec.DataEngineers}},
		{"get", "", "secrets", []spec.Role{spec.Admins}},
		{"list", "", "secrets", []spec.Role{spec.Admins}},
		{"create", "", "secrets", []spec.Role{spec.Admins, spec.Engineers, spec.DataEngineers}},
		{"create", rbacGroup, "rolebindings", []spec.Role{spec.Admins}},
		{"patch", "", "resourcequotas", nil},
		{"patch", "", "limitranges", nil},
		{"delete", "networking.k8s.io", "networkpolicies", nil},
		{"patch", "", "namespaces", nil},
		{"escalate", rbacGroup, "roles", nil},
		{"bind", rbacGroup, "roles", nil},
		{"impersonate", "", "serviceaccounts", nil},
	} {
		var holders []spec.Role
		for _, role := range spec.Roles {
			if may(role, c.verb, c.group, c.resource) {
				holders = append(holders, role)
			}
		}
		if !slices.Equal(holders, c.holders) {
			t.Errorf("%s %s.%s is held by %v, want %v", c.verb, c.resource, c.group, holders, c.holders)
		}
	}
}

// TestRolesNameWhatTheyGrant keeps out wildcards, which would take in what is to come.
func TestRolesNameWhatTheyGrant(t *testing.T) {
	for role, rules := range roleRules {
		for _, rule := range children(map[string]any{"rules": rules}, "rules") {
			for _, field := range []string{"apiGroups", "resources", "verbs"} {
				if slices.Contains(texts(rule, field), "*") {
					t.Errorf("the role of %s has a wildcard in %v", role, rule)
				}
			}
		}
	}
}

// TestEveryRoleReadsWhatViewersRead holds for a role that is added, too.
func TestEveryRoleReadsWhatViewersRead(t *testing.T) {
	for _, rule := range children(map[string]any{"rules": roleRules[spec.Viewers]}, "rules") {
		for _, resource := range texts(rule, "resources") {
			for _, verb := range texts(rule, "verbs") {
				for _, role := range spec.Roles {
					if group := texts(rule, "apiGroups")[0]; !may(role, verb, group, resource) {
						t.Errorf("%s may not %s %s.%s, viewers may", role, verb, resource, group)
					}
				}
			}
		}
	}
}
