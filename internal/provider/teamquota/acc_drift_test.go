// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const by = `, by kubectl-edit at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`

func TestAccHandEditsOfATeamShowAndAreRepaired(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-team")
	config := team(account, name, everything)
	edited := func(line string, edit func()) resource.TestStep {
		return resource.TestStep{
			PreConfig: edit, Config: config,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, acctest.ExpectDrift(address, line)),
		}
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			edited(`^ResourceQuota `+name+`/trainyard-quota: spec\.hard\["requests\.nvidia\.com/gpu"\]: "64" -> "640"`+by, func() {
				bed.Edit(kube.ResourceQuota, name, "trainyard-quota", `{"spec":{"hard":{"requests.nvidia.com/gpu":"640"}}}`)
			}),
			edited(`^ResourceQuota `+name+`/trainyard-quota: spec\.hard\.services: \(none\) -> "3"`+by, func() {
				bed.Edit(kube.ResourceQuota, name, "trainyard-quota", `{"spec":{"hard":{"services":"3"}}}`)
			}),
			edited(`^NetworkPolicy `+name+`/trainyard-default-deny: deleted$`, func() {
				bed.Delete(kube.NetworkPolicy, name, "trainyard-default-deny")
			}),
			edited(`^Namespace `+name+`: metadata\.labels\["pod-security\.kubernetes\.io/enforce"\]: "baseline" -> "privileged"`+by, func() {
				bed.Edit(kube.Namespace, "", name, `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`)
			}),
			edited(`^RoleBinding `+name+`/trainyard-viewers: subjects`, func() {
				bed.Edit(kube.RoleBinding, name, "trainyard-viewers", `{"subjects":[{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"everyone"}]}`)
			}),
			edited(`^LimitRange `+name+`/trainyard-limits: deleted$`, func() {
				bed.Delete(kube.LimitRange, name, "trainyard-limits")
			}),
			{ // fields that are not ours make no noise
				PreConfig: func() {
					bed.Edit(kube.Namespace, "", name, `{"metadata":{"labels":{"seen-by":"audit"},"annotations":{"note":"x"}}}`)
				},
				Config: config, ConfigPlanChecks: unchanged,
			},
			{ // the whole team deleted by hand
				PreConfig: func() { bed.Delete(kube.Namespace, "", name) },
				Config:    config, ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
			},
			{ // deleted and made again by hand: it is taken back
				PreConfig: func() {
					bed.Delete(kube.Namespace, "", name)
					bed.Make(kube.Namespace, "", fmt.Sprintf("{metadata: {name: %q}}", name))
				},
				Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			},
		},
	})
}

func TestAccForeignNamespaceIsRefusedAtPlan(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-team")
	bed.Make(kube.Namespace, "", fmt.Sprintf("{metadata: {name: %q}}", name))
	t.Cleanup(func() { bed.Begin(kube.Namespace, "", name) })
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: team(account, name, ""), PlanOnly: true,
			ExpectError: regexp.MustCompile(`(?s)Unable to plan team "` + name + `".*exists and is not\s+managed by\s+this resource.*Import`),
		}},
	})
}

func TestAccNamespaceOfOursWithoutStateIsAdopted(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-team")
	uid := bed.Make(kube.Namespace, "", fmt.Sprintf(`{metadata: {name: %[1]q, labels: {app.kubernetes.io/managed-by: trainyard,
		trainyard.io/owner: default, trainyard.io/resource: team-quota, trainyard.io/name: %[1]q}}}`, name)).GetUID()
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: team(account, name, everything), ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
		}, {
			PreConfig: func() {
				if now := bed.Get(kube.Namespace, "", name).GetUID(); now != uid {
					t.Errorf("the namespace was made again")
				}
			},
			Config: team(account, name, everything), ConfigPlanChecks: unchanged,
		}},
	})
}

// decoded joins the values of a Secret's data.
func decoded(t *testing.T, data map[string]any) string {
	t.Helper()
	var all strings.Builder
	for _, value := range data {
		text, err := base64.StdEncoding.DecodeString(fmt.Sprint(value))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
