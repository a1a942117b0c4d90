// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

const (
	rbacGroup   = "rbac.authorization.k8s.io"
	rbacVersion = rbacGroup + "/v1"
)

// RoleName returns the name of the Role and of the RoleBinding for a role of a team.
func RoleName(role spec.Role) string {
	return "trainyard-" + strings.ReplaceAll(string(role), "_", "-")
}

// teamRoles renders a Role and its RoleBinding for each role that somebody holds.
func teamRoles(t spec.Team, o Owner) []*Object {
	var list []*Object
	for _, name := range spec.Roles {
		subjects := t.Members[name]
		if subjects.Empty() {
			continue
		}
		role := teamObject(rbacVersion, "Role", RoleName(name), t, o)
		role.Object["rules"] = roleRules[name]
		binding := teamObject(rbacVersion, "RoleBinding", RoleName(name), t, o)
		binding.Object["roleRef"] = map[string]any{"apiGroup": rbacGroup, "kind": "Role", "name": RoleName(name)}
		binding.Object["subjects"] = bindingSubjects(subjects, t.Name)
		list = append(list, role, binding)
	}
	return list
}

func bindingSubjects(s spec.Subjects, home string) []any {
	list := make([]any, 0, len(s.Users)+len(s.Groups)+len(s.ServiceAccounts))
	for _, user := range s.Users {
		list = append(list, map[string]any{"apiGroup": rbacGroup, "kind": "User", "name": user})
	}
	for _, group := range s.Groups {
		list = append(list, map[string]any{"apiGroup": rbacGroup, "kind": "Group", "name": group})
	}
	for _, text := range s.ServiceAccounts {
		namespace, name := spec.ServiceAccount(text, home)
		list = append(list, map[string]any{"kind": "ServiceAccount", "name": name, "namespace": namespace})
	}
	return list
}

func membersInto(t *spec.Team, role spec.Role, binding *Object) {
	if binding == nil {
		return
	}
	var subjects spec.Subjects
	for _, subject := range children(binding.Object, "subjects") {
		name := nested[string](subject, "name")
		switch nested[string](subject, "kind") {
		case "User":
			subjects.Users = append(subjects.Users, name)
		case "Group":
			subjects.Groups = append(subjects.Groups, name)
		case "ServiceAccount":
			subjects.ServiceAccounts = append(subjects.ServiceAccounts,
				spec.ServiceAccountText(nested[string](subject, "namespace"), name, t.Name))
		}
	}
	if !subjects.Empty() {
		put(&t.Members, role, subjects)
	}
}
