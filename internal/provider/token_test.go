// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
)

// The least that each resource needs is what its other acceptance tests run under, too.
func TestAccTokenComesFromTheEnvironment(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account("training_queue", "team_quota"), acctest.Name("acc-env")
	config := fmt.Sprintf("provider \"trainyard\" {\n  cluster = { host = %q, ca = %q }\n}\n", account.Host, account.CA) +
		queueText(name, 4, "") + teamText(name, 4, "queue = trainyard_training_queue.this.name")
	t.Setenv(connect.TokenEnv, account.Token)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}

func TestAccMissingRightsAreNamed(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account("training_queue"), acctest.Name("acc-right")
	config := acctest.Provider(account.Kubeconfig, "") + teamText(name, 4, "")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: config, PlanOnly: true,
			ExpectError: regexp.MustCompile(`(?s)Unable to plan team "` + name + `".*forbidden.*Grant this verb`),
		}},
	})
}
