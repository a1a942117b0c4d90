// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

var update = flag.Bool("update", false, "write the published ClusterRole anew")

const published = "../../../examples/rbac/team_quota.yaml"

func TestPublishedClusterRoleIsCurrent(t *testing.T) {
	if *update {
		if err := os.WriteFile(published, []byte(ClusterRole()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(file), ClusterRole()); diff != "" {
		t.Errorf("%s (-published +current):\n%s", published, diff)
	}
}

func TestClusterRoleAllowsEveryWriteOfATeam(t *testing.T) {
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict([]byte(ClusterRole()), &role); err != nil {
		t.Fatal(err)
	}
	allowed := func(verb string, kind kube.Kind, name string) bool {
		return slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.APIGroups, kind.Group) && slices.Contains(rule.Resources, kind.Resource) &&
				slices.Contains(rule.Verbs, verb) && (len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, name))
		})
	}
	m := everyPart(t)
	m.Members.DataEngineers, m.Members.Viewers = m.Members.Admins, m.Members.Admins
	for _, object := range objects.Team(specOf(&m), owner) {
		kind, err := kube.KindOf(object)
		if err != nil {
			t.Fatal(err)
		}
		verbs := slices.Clone(keep)
		switch kind.Kind {
		case "ServiceAccount":
			verbs = []string{"get", "list", "create", "patch"}
		case "Role":
			verbs = append(verbs, "escalate", "bind")
		}
		for _, verb := range verbs {
			if !allowed(verb, kind, object.GetName()) {
				t.Errorf("%s of %s is not allowed", verb, objects.Ref(object))
			}
		}
	}
	for name, denied := range map[string]bool{
		"secrets of others":              allowed("get", kube.Secret, "database"),
		"all secrets":                    allowed("list", kube.Secret, ""),
		"deleting the service account":   allowed("delete", kube.ServiceAccount, "default"),
		"escalation through other roles": allowed("escalate", kube.Role, "other"),
	} {
		if denied {
			t.Errorf("the ClusterRole allows %s", name)
		}
	}
}
