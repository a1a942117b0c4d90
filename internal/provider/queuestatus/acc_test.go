// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package queuestatus_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

const address = "data.trainyard_queue_status.this"

const made = `
resource "trainyard_training_queue" "this" {
  name       = %[1]q
  weight     = 3
  capability = { "nvidia.com/gpu" = "16" }
}

data "trainyard_queue_status" "this" {
  names      = [%[1]q]
  depends_on = [trainyard_training_queue.this]
}
`

func TestAccQueueStatus(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account("data_sources", "training_queue"), acctest.Name("acc-status")
	bed.Sweep(name)
	provider := acctest.Provider(account.Kubeconfig, name)
	queue := tfjsonpath.New("queues").AtMapKey(name)
	check := func(path tfjsonpath.Path, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, path, value)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      provider + "data \"trainyard_queue_status\" \"this\" {\n  names = [\"default\", \"nobody\"]\n}\n",
				ExpectError: regexp.MustCompile(`(?s)Invalid names\[1\].*there is no queue "nobody"`),
			},
			{
				Config: provider + fmt.Sprintf(made, name),
				ConfigStateChecks: []statecheck.StateCheck{
					check(tfjsonpath.New("queues"), knownvalue.MapSizeExact(1)),
					check(queue.AtMapKey("weight"), knownvalue.Int64Exact(3)),
					check(queue.AtMapKey("reclaimable"), knownvalue.Bool(true)),
					check(queue.AtMapKey("capability"), knownvalue.MapExact(map[string]knownvalue.Check{"nvidia.com/gpu": knownvalue.StringExact("16")})),
					check(queue.AtMapKey("deserved"), knownvalue.MapSizeExact(0)),
					check(queue.AtMapKey("running"), knownvalue.Int64Exact(0)),
				},
			},
			{
				Config:           provider + fmt.Sprintf(made, name),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("trainyard_training_queue.this", plancheck.ResourceActionNoop)}},
			},
		},
	})
}
