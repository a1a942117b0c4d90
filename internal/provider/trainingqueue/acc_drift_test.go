// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package trainingqueue_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const moment = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`

func TestAccHandEditsShowAndAreRepaired(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	config := queue(account, name, `
  weight     = 20
  capability = { "nvidia.com/gpu" = "16" }`)
	whole := []statecheck.StateCheck{standing(bed, name, map[string]any{
		"weight": int64(20), "reclaimable": true, "parent": "root", "capability": map[string]any{"nvidia.com/gpu": "16"},
	})}
	object := "^Queue " + name + ": "
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{ // the plan names object, field, values, who and when
				PreConfig: func() {
					bed.Edit(kube.Queue, "", name, `{"spec":{"weight":21,"capability":{"nvidia.com/gpu":"40","cpu":"8"}}}`)
				},
				Config: config,
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, acctest.ExpectDrift(address,
					object+`spec\.capability\["nvidia\.com/gpu"\]: "16" -> "40", by kubectl-edit at `+moment+`$`,
					object+`spec\.capability\.cpu: \(none\) -> "8", by kubectl-edit at `+moment+`$`,
					object+`spec\.weight: 20 -> 21, by kubectl-edit at `+moment+`$`)),
				ConfigStateChecks: whole,
			},
			{ // fields that are not ours make no noise
				PreConfig: func() {
					bed.Edit(kube.Queue, "", name, `{"metadata":{"labels":{"seen-by":"audit"},"annotations":{"note":"x"}}}`)
				},
				Config: config, ConfigPlanChecks: unchanged,
			},
			{ // a label of ours that is gone would orphan the queue
				PreConfig: func() { bed.Edit(kube.Queue, "", name, `{"metadata":{"labels":{"trainyard.io/name":null}}}`) },
				Config:    config,
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, acctest.ExpectDrift(address,
					object+`metadata\.labels\["trainyard\.io/name"\]: "`+name+`" -> \(none\)`)),
				ConfigStateChecks: whole,
			},
			{ // deleted by hand
				PreConfig: func() { remove(bed, name) },
				Config:    config, ConfigPlanChecks: planned(plancheck.ResourceActionCreate), ConfigStateChecks: whole,
			},
			{ // deleted and made again by hand: known from state, it is taken back
				PreConfig: func() {
					remove(bed, name)
					bed.Make(kube.Queue, "", fmt.Sprintf("{metadata: {name: %q}, spec: {weight: 3}}", name))
				},
				Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: whole,
			},
		},
	})
}

// remove deletes a queue as vcctl does: closed first.
func remove(bed *acctest.Bed, name string) {
	if bed.Find(kube.Queue, "", name) == nil {
		return
	}
	command(bed, name, "CloseQueue", "Closed")
	bed.Delete(kube.Queue, "", name)
}

func TestAccForeignQueueIsRefusedAtPlan(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	bed.Make(kube.Queue, "", fmt.Sprintf("{metadata: {name: %q}, spec: {weight: 3}}", name))
	t.Cleanup(func() { remove(bed, name) })
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: queue(account, name, ""), PlanOnly: true,
				ExpectError: regexp.MustCompile(`(?s)Unable to plan queue "` + name + `".*exists and is not\s+managed by\s+this resource.*Import`),
			},
			{ // another installation's queue is foreign, too
				PreConfig: func() { label(bed, name, "other") },
				Config:    queue(account, name, ""), PlanOnly: true,
				ExpectError: regexp.MustCompile(`(?s)belongs\s+to\s+training-queue\s+"` + name + `"\s+of\s+owner\s+"other"`),
			},
			{ // an import takes it over
				PreConfig: func() { bed.Edit(kube.Queue, "", name, `{"metadata":{"labels":null}}`) },
				Config:    queue(account, name, ""), ResourceName: address, ImportState: true, ImportStateId: name, ImportStatePersist: true,
			},
			{Config: queue(account, name, ""), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate)},
			{Config: queue(account, name, ""), ConfigPlanChecks: unchanged},
		},
	})
}

func label(bed *acctest.Bed, name, owner string) {
	bed.Edit(kube.Queue, "", name, fmt.Sprintf(`{"metadata":{"labels":{"app.kubernetes.io/managed-by":"trainyard",
		"trainyard.io/owner":%q,"trainyard.io/resource":"training-queue","trainyard.io/name":%q}}}`, owner, name))
}

func TestAccQueueOfOursWithoutStateIsAdopted(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	made := bed.Make(kube.Queue, "", fmt.Sprintf("{metadata: {name: %q}, spec: {weight: 3}}", name))
	label(bed, name, "default")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: queue(account, name, "weight = 5"), ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{
				standing(bed, name, map[string]any{"weight": int64(5), "reclaimable": true, "parent": "root"}),
				acctest.Look(func() error {
					if now := bed.Get(kube.Queue, "", name).GetUID(); now != made.GetUID() {
						return fmt.Errorf("the queue was made again")
					}
					return nil
				}),
			},
		}},
	})
}

func TestAccDeletionWaitsForJobsAndNamesThem(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	config := queue(account, name, `timeouts = { delete = "3s" }`)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					bed.Make(kube.PodGroup, "default", fmt.Sprintf("{metadata: {name: %[1]q}, spec: {queue: %[1]q, minMember: 1}}", name))
				},
				Config: config, Destroy: true,
				ExpectError: regexp.MustCompile(`(?s)Unable to delete queue "` + name + `".*PodGroup\s+default/` + name),
			},
			{
				PreConfig:        func() { bed.Delete(kube.PodGroup, "default", name) },
				Config:           config,
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), // it was closed, and is opened again
			},
		},
	})
}
