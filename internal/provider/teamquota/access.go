// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"fmt"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// need is a rule of the least ClusterRole, with the reason for it.
type need struct {
	why              string
	group            string
	resources, names []string
	verbs            []string
}

// keep is what it takes to make, read, change and delete an object.
var keep = []string{"get", "list", "create", "patch", "delete"}

// needs are what the provider asks of the API server for teams. Names bound the rules
// for what could otherwise do harm in other namespaces: a server-side apply carries the
// object's name also when it creates it, and a list is bounded by its field selector.
func needs() []need {
	roles := make([]string, len(spec.Roles))
	for i, role := range spec.Roles {
		roles[i] = objects.RoleName(role)
	}
	return []need{
		{"The team's namespace. Reading kube-system tells clusters apart.", "", []string{"namespaces"}, nil, keep},
		{"What bounds and isolates the team.", "", []string{"limitranges", "resourcequotas"}, nil, keep},
		{"", "networking.k8s.io", []string{"networkpolicies"}, nil, keep},
		{"Who may do what.", rbac, []string{"rolebindings", "roles"}, nil, keep},
		{
			"To hand out permissions that the provider itself does not have, in these roles and in no other.",
			rbac,
			[]string{"roles"},
			roles,
			[]string{"bind", "escalate"},
		},
		{"Registry credentials. No other Secret can be read.", "", []string{"secrets"}, []string{objects.RegistryName}, keep},
		{
			"The service account that pulls images with them. It is never deleted.",
			"",
			[]string{"serviceaccounts"},
			[]string{"default"},
			[]string{"get", "list", "create", "patch"},
		},
		{
			"Whether anything would be lost when the team is deleted.",
			"",
			[]string{"persistentvolumeclaims", "pods"},
			nil,
			[]string{"list"},
		},
		{
			"Whether the cluster has what a quota gives. Without it, nothing warns of a quota that it has not.", "",
			[]string{"nodes"},
			nil,
			[]string{"list"},
		},
		{
			"Whether a waiting gang fits the quota. Without it, nothing warns of one that does not.", "scheduling.volcano.sh",
			[]string{"podgroups"},
			nil,
			[]string{"list"},
		},
		{
			"Whether the queue exists. Not needed for teams without one.",
			"scheduling.volcano.sh",
			[]string{"queues"},
			nil,
			[]string{"get", "list"},
		},
	}
}

const rbac = "rbac.authorization.k8s.io"

// ClusterRole is the least that the provider's identity needs for this resource, as YAML
// with the reasons in comments.
func ClusterRole() string {
	var b strings.Builder
	b.WriteString("# The least that the provider needs for trainyard_team_quota. Bind it to the provider's identity with a ClusterRoleBinding.\n" +
		"apiVersion: " + rbac + "/v1\nkind: ClusterRole\nmetadata:\n  name: trainyard-team-quota\nrules:\n")
	for _, n := range needs() {
		if n.why != "" {
			fmt.Fprintf(&b, "  # %s\n", n.why)
		}
		fmt.Fprintf(&b, "  - apiGroups: [%q]\n    resources: [%s]\n", n.group, strings.Join(n.resources, ", "))
		if len(n.names) > 0 {
			fmt.Fprintf(&b, "    resourceNames: [%s]\n", strings.Join(n.names, ", "))
		}
		fmt.Fprintf(&b, "    verbs: [%s]\n", strings.Join(n.verbs, ", "))
	}
	return b.String()
}
