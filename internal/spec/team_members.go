// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Role is what some members of a team may do in its namespace. Its text is the
// attribute that lists them.
type Role string

// The roles of a team.
const (
	Admins        Role = "admins"
	Engineers     Role = "engineers"
	DataEngineers Role = "data_engineers"
	Viewers       Role = "viewers"
)

// Roles lists every role, the most powerful first.
var Roles = []Role{Admins, Engineers, DataEngineers, Viewers}

// Members says who has which role. A role without subjects does not exist.
type Members map[Role]Subjects

// Subjects are the holders of a role.
type Subjects struct {
	// Users and Groups are names as the cluster's authentication gives them.
	Users, Groups []string
	// ServiceAccounts are written namespace/name, or name for one of the team's namespace.
	ServiceAccounts []string
}

// Empty says whether nobody holds the role.
func (s Subjects) Empty() bool {
	return len(s.Users) == 0 && len(s.Groups) == 0 && len(s.ServiceAccounts) == 0
}

// ServiceAccount reads a service account as members are written, namespace/name or
// name alone, which stands for one in the namespace home.
func ServiceAccount(text, home string) (namespace, name string) {
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		return namespace, name
	}
	return home, text
}

// ServiceAccountText is the inverse of ServiceAccount.
func ServiceAccountText(namespace, name, home string) string {
	if namespace == home {
		return name
	}
	return namespace + "/" + name
}

func (m Members) check(v *Violations, path Path, home string) {
	for _, role := range Roles {
		subjects, at := m[role], path.At(string(role))
		checkEach(v, at.At("users"), subjects.Users, func(path Path, user string) string {
			checkUser(v, path, user)
			return user
		})
		checkEach(v, at.At("groups"), subjects.Groups, func(path Path, group string) string {
			if checkPresent(v, path, group) && group == "system:unauthenticated" {
				v.Add(path, "Name a group of people who log in", "%q is everyone who has not logged in", group)
			}
			return group
		})
		checkEach(v, at.At("service_accounts"), subjects.ServiceAccounts, func(path Path, text string) string {
			namespace, name := ServiceAccount(text, home)
			if len(validation.IsDNS1123Subdomain(name)) > 0 || (namespace != home && CheckLabelName(namespace) != nil) {
				v.Add(path, `Write "namespace/name", or "name" for one in the team's own namespace`, "%q is not a service account", text)
			}
			return namespace + "/" + name
		})
	}
}

func checkUser(v *Violations, path Path, user string) {
	account, isAccount := strings.CutPrefix(user, "system:serviceaccount:")
	switch {
	case !checkPresent(v, path, user):
	case user == "system:anonymous":
		v.Add(path, "Name a person who logs in", "%q is everyone who has not logged in", user)
	case isAccount:
		list := slices.Concat(path[:len(path)-2], Path{"service_accounts"})
		v.Add(path, fmt.Sprintf("Write %q in %s", strings.Replace(account, ":", "/", 1), list), "%q is a service account", user)
	}
}

// checkPresent refuses a name that is empty or has spaces around it.
func checkPresent(v *Violations, path Path, name string) bool {
	if name == "" || strings.TrimSpace(name) != name {
		v.Add(path, "Give the name exactly as the cluster's authentication gives it", "%q is empty or has spaces around it", name)
		return false
	}
	return true
}

// checkEach checks every item of a list and refuses those that stand there twice;
// check returns the item in the one form that means the same.
func checkEach(v *Violations, path Path, items []string, check func(Path, string) string) {
	first := make(map[string]int, len(items))
	for i, item := range items {
		at := path.At(i)
		meaning := check(at, item)
		if earlier, ok := first[meaning]; ok {
			v.Add(at, "Remove one of the two", "%q is already given at %s", item, path.At(earlier))
			continue
		}
		first[meaning] = i
	}
}
