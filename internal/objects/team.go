// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Names of the objects that a team has in its namespace; roles are named by RoleName.
const (
	QuotaName       = "trainyard-quota"
	LimitsName      = "trainyard-limits"
	DefaultDenyName = "trainyard-default-deny"
	AllowName       = "trainyard-allow"
	RegistryName    = "trainyard-registry"
)

// Team renders the objects that stand for a team, in the order in which they are
// applied: what bounds and isolates the namespace comes before those who may use it.
//
// The objects are built as plain content, without the detour over typed values: at a
// thousand teams a plan the reflection would cost more than everything else. They are
// for reading only, since the rules of roles are shared between them.
func Team(t spec.Team, o Owner) []*Object {
	list := []*Object{teamNamespace(t, o)}
	list = append(list, teamQuota(t, o)...)
	list = append(list, teamLimits(t, o)...)
	list = append(list, teamPolicies(t, o)...)
	list = append(list, teamRegistry(t, o)...)
	return append(list, teamRoles(t, o)...)
}

// TeamFrom is the inverse of Team: the team that the observed objects stand for, in any
// order, foreign objects among them. What a specification cannot express is left out;
// a part that is absent is the part's zero value. Nothing tells the registry's password
// and what a deletion may do.
func TeamFrom(observed []*Object) spec.Team {
	var t spec.Team
	parts := make(map[part]*Object, len(observed))
	for _, o := range observed {
		parts[part{o.GetKind(), o.GetName()}] = o
		if o.GetKind() == "Namespace" {
			namespaceInto(&t, o)
		}
	}
	quotaInto(&t, parts[part{"ResourceQuota", QuotaName}])
	limitsInto(&t, parts[part{"LimitRange", LimitsName}])
	policiesInto(&t, parts[part{"NetworkPolicy", DefaultDenyName}], parts[part{"NetworkPolicy", AllowName}])
	registryInto(&t, parts[part{"Secret", RegistryName}])
	for _, role := range spec.Roles {
		membersInto(&t, role, parts[part{"RoleBinding", RoleName(role)}])
	}
	return t
}

// part tells the objects of one team apart.
type part struct{ kind, name string }

// teamObject begins an object of a team, within its namespace unless it is the
// namespace itself.
func teamObject(apiVersion, kind, name string, t spec.Team, o Owner) *Object {
	metadata := map[string]any{"name": name, "labels": ownerLabels(o)}
	if kind != "Namespace" {
		metadata["namespace"] = t.Name
	}
	return &Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}}
}

func ownerLabels(o Owner) map[string]any {
	return map[string]any{
		LabelManagedBy: ManagedBy, LabelOwner: o.Owner, LabelResource: o.Resource, LabelName: o.Name,
	}
}
