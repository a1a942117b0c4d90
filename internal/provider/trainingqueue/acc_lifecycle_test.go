// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package trainingqueue_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

const address = "trainyard_training_queue.this"

// role is the published ClusterRole under which these tests run.
const role = "training_queue"

// queue writes a configuration of one queue with further arguments.
func queue(account acctest.Account, name, arguments string) string {
	return acctest.Provider(account.Kubeconfig, "") + fmt.Sprintf(`
resource "trainyard_training_queue" "this" {
  name = %q
  %s
}
`, name, arguments)
}

// unchanged is the check that a step plans nothing.
var unchanged = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

func planned(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(more, plancheck.ExpectResourceAction(address, action))}
}

// spec reads the spec of a queue as it stands.
func spec(bed *acctest.Bed, name string) map[string]any {
	found, _, _ := unstructured.NestedMap(bed.Get(kube.Queue, "", name).Object, "spec")
	// Volcano's own webhook sets it from 1.14 on.
	delete(found, "dequeueStrategy")
	return found
}

func TestAccQueueLivesAndDies(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	full := fmt.Sprintf(`
  weight      = 20
  capability  = { cpu = "64", "nvidia.com/gpu" = "16" }
  deserved    = { cpu = "1", "nvidia.com/gpu" = "8" }
  guarantee   = { "nvidia.com/gpu" = "4" }
  reclaimable = false
  priority    = 7
  labels      = { stage = "research" }
  annotations = { "example.com/contact" = "queues@example.com" }
  priority_class = {
    name        = %q
    value       = 1000
    description = "Research"
  }`, name)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		CheckDestroy: func(*terraform.State) error {
			if bed.Find(kube.Queue, "", name) != nil || bed.Find(kube.PriorityClass, "", name) != nil {
				return fmt.Errorf("something of %s still stands", name)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config:           queue(account, name, full),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("weight"), knownvalue.Int64Exact(20)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("state"), knownvalue.StringExact("open")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("drift"), knownvalue.ListExact(nil)),
					standing(bed, name, map[string]any{
						"weight": int64(20), "reclaimable": false, "priority": int64(7), "parent": "root",
						"capability": map[string]any{"cpu": "64", "nvidia.com/gpu": "16"},
						"deserved":   map[string]any{"cpu": "1", "nvidia.com/gpu": "8"},
						"guarantee":  map[string]any{"resource": map[string]any{"nvidia.com/gpu": "4"}},
					}),
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: name,
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
			{
				Config: queue(account, name, `
  weight     = 30
  capability = { cpu = "64" }`),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					standing(bed, name, map[string]any{
						"weight": int64(30), "reclaimable": true, "parent": "root", "capability": map[string]any{"cpu": "64"},
					}),
				},
			},
		},
	})
}

// standing is a state check that looks at the queue in the cluster instead.
func standing(bed *acctest.Bed, name string, want map[string]any) statecheck.StateCheck {
	return acctest.Look(func() error {
		if diff := cmp.Diff(want, spec(bed, name)); diff != "" {
			return fmt.Errorf("the queue's spec (-want +got):\n%s", diff)
		}
		return nil
	})
}

func TestAccQuantitiesAreComparedByMeaning(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: queue(account, name, `capability = { cpu = "1000m", memory = "1Ti" }`)},
			{Config: queue(account, name, `capability = { cpu = "1", memory = "1024Gi" }`), ConfigPlanChecks: unchanged},
			{
				PreConfig:        func() { bed.Edit(kube.Queue, "", name, `{"spec":{"capability":{"cpu":"1","memory":"1048576Mi"}}}`) },
				Config:           queue(account, name, `capability = { cpu = "1000m", memory = "1Ti" }`),
				ConfigPlanChecks: unchanged,
			},
		},
	})
}

func TestAccPriorityOfZeroIsNone(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: queue(account, name, "priority = 0")},
			{Config: queue(account, name, "priority = 5"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate)},
			{Config: queue(account, name, "priority = 0"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate)},
			{Config: queue(account, name, "priority = 0"), ConfigPlanChecks: unchanged},
		},
	})
}

func TestAccShareIsPartOfAWhole(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	share := func(percent int) string {
		return fmt.Sprintf(`share = { percent = %d, of = { cpu = "9", "nvidia.com/gpu" = "17" } }`, percent)
	}
	deserves := func(cpu, gpus string) statecheck.StateCheck {
		return standing(bed, name, map[string]any{
			"weight": int64(1), "reclaimable": true, "parent": "root", "deserved": map[string]any{"cpu": cpu, "nvidia.com/gpu": gpus},
		})
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: queue(account, name, share(50)), ConfigStateChecks: []statecheck.StateCheck{deserves("4500m", "8")}},
			{
				PreConfig: func() { bed.Edit(kube.Queue, "", name, `{"spec":{"deserved":{"nvidia.com/gpu":"9"}}}`) },
				Config:    queue(account, name, share(50)),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
					acctest.ExpectDrift(address, `spec\.deserved\["nvidia\.com/gpu"\]: "8" -> "9"`)),
				ConfigStateChecks: []statecheck.StateCheck{deserves("4500m", "8")},
			},
			{Config: queue(account, name, share(25)), ConfigStateChecks: []statecheck.StateCheck{deserves("2250m", "4")}},
		},
	})
}

func TestAccQueueIsClosedAndOpened(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	is := func(want string) []statecheck.StateCheck {
		return []statecheck.StateCheck{acctest.Look(func() error {
			if got := objects.QueueState(bed.Get(kube.Queue, "", name)); got != want {
				return fmt.Errorf("the queue is %q, want %q", got, want)
			}
			return nil
		})}
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: queue(account, name, `state = "closed"`), ConfigStateChecks: is(objects.QueueClosed)},
			{Config: queue(account, name, ``), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: is(objects.QueueOpen)},
			{
				PreConfig: func() { command(bed, name, "CloseQueue", objects.QueueClosed) },
				Config:    queue(account, name, ``),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
					acctest.ExpectDrift(address, `status\.state: "open" -> "closed"`)),
				ConfigStateChecks: is(objects.QueueOpen),
			},
		},
	})
}

// command closes or opens a queue as vcctl does.
func command(bed *acctest.Bed, name, action, state string) {
	live := bed.Get(kube.Queue, "", name)
	target := fmt.Sprintf("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, name: %q, uid: %q, controller: true}", name, live.GetUID())
	bed.Make(kube.Command, "default", fmt.Sprintf("{metadata: {generateName: by-hand-, ownerReferences: [%[1]s]}, target: %[1]s, action: %[2]s}", target, action))
	bed.Await("the queue to be "+state, func() bool { return objects.QueueState(bed.Get(kube.Queue, "", name)) == state })
}

func TestAccPriorityClassIsReplacedForAnotherValue(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	class := func(value int, more string) string {
		return fmt.Sprintf(`priority_class = { name = %q, value = %d %s }`, name, value, more)
	}
	stands := func(value int64, policy string) []statecheck.StateCheck {
		return []statecheck.StateCheck{acctest.Look(func() error {
			class := bed.Get(kube.PriorityClass, "", name).Object
			if class["value"] != value || class["preemptionPolicy"] != policy {
				return fmt.Errorf("the class has value %v and policy %v, want %v and %v", class["value"], class["preemptionPolicy"], value, policy)
			}
			return nil
		})}
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: queue(account, name, class(1000, "")), ConfigStateChecks: stands(1000, "PreemptLowerPriority")},
			{
				Config:           queue(account, name, class(2000, `, preemption_policy = "Never"`)),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: stands(2000, "Never"),
			},
			{
				PreConfig: func() { bed.Delete(kube.PriorityClass, "", name) },
				Config:    queue(account, name, class(2000, `, preemption_policy = "Never"`)),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
					acctest.ExpectDrift(address, "^PriorityClass "+name+": deleted$")),
				ConfigStateChecks: stands(2000, "Never"),
			},
			{
				Config:           queue(account, name, ""),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{acctest.Look(func() error {
					if bed.Find(kube.PriorityClass, "", name) != nil {
						return fmt.Errorf("the class %s is still there", name)
					}
					return nil
				})},
			},
		},
	})
}
