// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

func TestWrongValuesAreRefusedAtTheirAttribute(t *testing.T) {
	const gpu = "nvidia.com/gpu"
	for _, c := range []struct{ name, config, path, want string }{
		{"a name that is no label", `"name":"Team_A"`, "name", `"Team_A" is not a DNS label`},
		{"a name that is too long", `"name":"` + strings.Repeat("t", 64) + `"`, "name", "64 characters, the most is 63"},
		{"a namespace of Kubernetes", `"name":"kube-system"`, "name", "belongs to Kubernetes itself"},
		{"limits of a device", `"quota":{"limits":{"` + gpu + `":"8"}}`, `quota.limits["` + gpu + `"]`, `quota\.requests\["nvidia\.com/gpu"\]`},
		{"a name as the quota writes it", `"quota":{"requests":{"limits.` + gpu + `":"8"}}`, `quota.requests["limits.` + gpu + `"]`, "requests"},
		{"a quantity that is none", `"quota":{"requests":{"cpu":"lots"}}`, `quota.requests["cpu"]`, `"lots" is not a quantity`},
		{"a negative quantity", `"quota":{"storage":{"total":"-1Ti"}}`, "quota.storage.total", "is negative"},
		{"half a device", `"quota":{"requests":{"` + gpu + `":"500m"}}`, `quota.requests["` + gpu + `"]`, "whole"},
		{"a negative number of objects", `"quota":{"objects":{"pods":-1}}`, `quota.objects["pods"]`, "negative"},
		{"an object that a quota does not count", `"quota":{"objects":{"jobs":1}}`, `quota.objects["jobs"]`, "count/"},
		{"a minimum over the maximum", `"limits":{"container":{"min":{"cpu":"2"},"max":{"cpu":"1"}}}`, `limits.container.min["cpu"]`, "more than"},
		{"a claim's minimum over its maximum", `"limits":{"claim":{"min":"2Ti","max":"1Ti"}}`, "limits.claim.min", "more than"},
		{"the same subject twice", `"members":{"viewers":{"users":["ada","ada"]}}`, "members.viewers.users[1]", `"ada" is already given`},
		{"a service account among users", `"members":{"viewers":{"users":["system:serviceaccount:ci:bot"]}}`, "members.viewers.users[0]", "service account"},
		{"a group of those who have not logged in", `"members":{"viewers":{"groups":["system:unauthenticated"]}}`, "members.viewers.groups[0]", "not logged in"},
		{"a CIDR that is none", `"network":{"egress_cidrs":{"10.0.0.0":{}}}`, `network.egress_cidrs["10.0.0.0"]`, "CIDR|block"},
		{"a CIDR with host bits", `"network":{"ingress_cidrs":{"10.0.0.1/8":{}}}`, `network.ingress_cidrs["10.0.0.1/8"]`, "10.0.0.0/8"},
		{"an exception outside its block", `"network":{"egress_cidrs":{"10.0.0.0/8":{"except":["11.0.0.0/16"]}}}`, `network.egress_cidrs["10.0.0.0/8"].except[0]`, "not a part of"},
		{"a port that is none", `"network":{"egress_cidrs":{"10.0.0.0/8":{"ports":["70000"]}}}`, `network.egress_cidrs["10.0.0.0/8"].ports[0]`, "70000"},
		{"another security level", `"pod_security":{"enforce":"strict"}`, "pod_security.enforce", "must be one of"},
		{"a version that is none", `"pod_security":{"version":"1.36"}`, "pod_security.version", "is not a version of Kubernetes"},
		{"a label of ours", `"labels":{"trainyard.io/owner":"me"}`, `labels["trainyard.io/owner"]`, "is set by Trainyard"},
		{"a queue that is no name", `"queue":"A B"`, "queue", "cannot be the name of a queue"},
		{"a registry that is none", `"registry":{"server":"http://r","username":"u","password":"p"}`, "registry.server", "is not a registry"},
		{"a time limit that is none", `"timeouts":{"create":"soon"}`, "timeouts.create", "soon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := c.config
			if !strings.HasPrefix(config, `"name"`) {
				config = `"name":"team-vision",` + config
			}
			problems := acctest.NewProtocol(t).Validate("trainyard_team_quota", "{"+config+"}")
			for _, problem := range problems {
				if problem.Path == c.path && regexp.MustCompile(c.want).MatchString(problem.Text) {
					return
				}
			}
			t.Errorf("the problems are %q, want one at %s like %q", problems, c.path, c.want)
		})
	}
}
