// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

const address = "trainyard_team_quota.this"

// role is the published ClusterRole under which these tests run.
const role = "team_quota"

// team writes a configuration of one team with further arguments.
func team(account acctest.Account, name, arguments string) string {
	return acctest.Provider(account.Kubeconfig, "") + fmt.Sprintf(`
resource "trainyard_team_quota" "this" {
  name = %q
  %s
}
`, name, arguments)
}

// everything is a team with every part but the registry.
const everything = `
  cost_center = "cc-4711"
  labels      = { stage = "research" }
  annotations = { "example.com/contact" = "vision@example.com" }
  quota = {
    requests = { cpu = "512", "nvidia.com/gpu" = "64", "nvidia.com/mig-1g.10gb" = "14" }
    limits   = { memory = "4Ti" }
    objects  = { pods = 500, "count/jobs.batch" = 100 }
    storage  = { total = "100Ti", claims = 200, classes = { fast-nvme = { total = "10Ti" } } }
  }
  limits = {
    container = { default = { cpu = "2" }, default_request = { cpu = "1" }, max = { "nvidia.com/gpu" = "8" } }
    pod       = { max = { "nvidia.com/gpu" = "8" } }
    claim     = { max = "10Ti" }
  }
  members = {
    admins         = { users = ["ada@example.com"] }
    engineers      = { groups = ["ml-vision"], service_accounts = ["runner", "ci/deployer"] }
    data_engineers = { groups = ["data"] }
    viewers        = { groups = ["staff"] }
  }
  network = {
    ingress_namespaces = ["monitoring"]
    egress_cidrs       = { "0.0.0.0/0" = { except = ["169.254.169.254/32"], ports = ["443", "30000-32767/UDP"] } }
  }`

var unchanged = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

func planned(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(more, plancheck.ExpectResourceAction(address, action))}
}

// parts lists the objects of a team that stand in its namespace, with the namespace.
func parts(bed *acctest.Bed, name string) (refs []string) {
	for _, kind := range []kube.Kind{
		kube.Namespace, kube.ResourceQuota, kube.LimitRange, kube.NetworkPolicy, kube.Role, kube.RoleBinding, kube.Secret,
	} {
		for _, object := range bed.List(kind, objects.LabelName+"="+name) {
			refs = append(refs, object.GetKind()+" "+object.GetName())
		}
	}
	return refs
}

func stand(bed *acctest.Bed, name string, want ...string) statecheck.StateCheck {
	return acctest.Look(func() error {
		if diff := cmp.Diff(want, parts(bed, name)); diff != "" {
			return fmt.Errorf("what stands of the team (-want +got):\n%s", diff)
		}
		return nil
	})
}

func TestAccTeamLivesAndDies(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-team")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		CheckDestroy: func(*terraform.State) error {
			if bed.Find(kube.Namespace, "", name) != nil {
				return fmt.Errorf("the namespace %s still stands", name)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config:           team(account, name, everything),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("drift"), knownvalue.ListExact(nil)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("pod_security").AtMapKey("enforce"), knownvalue.StringExact("baseline")),
					stand(bed, name, "Namespace "+name, "ResourceQuota trainyard-quota", "LimitRange trainyard-limits",
						"NetworkPolicy trainyard-allow", "NetworkPolicy trainyard-default-deny",
						"Role trainyard-admins", "Role trainyard-data-engineers", "Role trainyard-engineers", "Role trainyard-viewers",
						"RoleBinding trainyard-admins", "RoleBinding trainyard-data-engineers", "RoleBinding trainyard-engineers", "RoleBinding trainyard-viewers"),
					hard(bed, name, map[string]any{
						"requests.cpu": "512", "requests.nvidia.com/gpu": "64", "requests.nvidia.com/mig-1g.10gb": "14", "limits.memory": "4Ti",
						"pods": "500", "count/jobs.batch": "100", "requests.storage": "100Ti", "persistentvolumeclaims": "200",
						"fast-nvme.storageclass.storage.k8s.io/requests.storage": "10Ti",
					}),
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: name,
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
			{ // shrinks to a name and one member
				Config:           team(account, name, `members = { viewers = { users = ["eve@example.com"] } }`),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					stand(bed, name, "Namespace "+name, "NetworkPolicy trainyard-allow", "NetworkPolicy trainyard-default-deny",
						"Role trainyard-viewers", "RoleBinding trainyard-viewers"),
				},
			},
			{
				Config:           team(account, name, everything),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			},
		},
	})
}

// hard is a check of the quota as it stands.
func hard(bed *acctest.Bed, name string, want map[string]any) statecheck.StateCheck {
	return acctest.Look(func() error {
		quota := bed.Get(kube.ResourceQuota, name, "trainyard-quota")
		spec, _ := quota.Object["spec"].(map[string]any)
		if diff := cmp.Diff(want, spec["hard"]); diff != "" {
			return fmt.Errorf("the quota (-want +got):\n%s", diff)
		}
		return nil
	})
}

func TestAccTeamQuantitiesAreComparedByMeaning(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-team")
	config := func(cpu, memory string) string {
		return team(account, name, fmt.Sprintf(`
  quota  = { requests = { cpu = %[1]q, memory = %[2]q }, storage = { total = %[2]q } }
  limits = { container = { default = { cpu = %[1]q, memory = %[2]q } }, claim = { max = %[2]q } }`, cpu, memory))
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config("1000m", "1Ti")},
			{Config: config("1", "1024Gi"), ConfigPlanChecks: unchanged},
			{
				PreConfig: func() {
					bed.Edit(kube.ResourceQuota, name, "trainyard-quota", `{"spec":{"hard":{"requests.cpu":"1","requests.memory":"1048576Mi"}}}`)
				},
				Config: config("1000m", "1Ti"), ConfigPlanChecks: unchanged,
			},
		},
	})
}

func TestAccTeamIsBoundToAQueue(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role, "training_queue"), acctest.Name("acc-team")
	made := fmt.Sprintf(`
resource "trainyard_training_queue" "this" {
  name = %q
}
`, name)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: team(account, name, fmt.Sprintf("queue = %q", name)), PlanOnly: true,
				ExpectError: regexp.MustCompile(`(?s)Invalid queue of a team.*there is no queue "` + name),
			},
			{
				Config: made + team(account, name, "queue = trainyard_training_queue.this.name"),
				ConfigStateChecks: []statecheck.StateCheck{acctest.Look(func() error {
					if got := bed.Get(kube.Namespace, "", name).GetAnnotations()["scheduling.volcano.sh/queue-name"]; got != name {
						return fmt.Errorf("the namespace's queue is %q, want %q", got, name)
					}
					return nil
				})},
			},
		},
	})
}

func TestAccTeamIsNotDeletedWithPodsThatRun(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-team")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: team(account, name, `pod_security = { enforce = "privileged" }`)},
			{
				PreConfig: func() {
					bed.Await("the service account", func() bool { return bed.Find(kube.ServiceAccount, name, "default") != nil })
					bed.Make(kube.Pod, name, `{metadata: {name: worker}, spec: {nodeName: none, containers: [{name: work, image: none}]}}`)
				},
				Config: team(account, name, ""), Destroy: true,
				ExpectError: regexp.MustCompile(`(?s)Unable to delete team "` + name + `".*have not\s+finished:\s+worker.*delete_running_pods`),
			},
			{
				PreConfig: func() { bed.ForcePodAway(name, "worker") },
				Config:    team(account, name, `pod_security = { enforce = "privileged" }`), ConfigPlanChecks: unchanged,
			},
		},
	})
}

func TestAccTeamIsNotDeletedWithBoundVolumes(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-team")
	volumes := acctest.Kind("", "v1", "PersistentVolume", "persistentvolumes", false)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: team(account, name, "")},
			{
				PreConfig: func() {
					bed.Make(volumes, "", `{metadata: {name: `+name+`}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /none}, storageClassName: `+name+`}}`)
					t.Cleanup(func() { bed.Delete(volumes, "", name) })
					bed.Make(kube.PersistentVolumeClaim, name, `{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: `+name+`}}`)
					bed.Await("the claim to be bound", func() bool { return objects.ClaimBound(bed.Get(kube.PersistentVolumeClaim, name, "data")) })
				},
				Config: team(account, name, ""), Destroy: true,
				ExpectError: regexp.MustCompile(`(?s)Unable to delete team "` + name + `".*bound to\s+volumes:\s+data.*delete_bound_volumes`),
			},
			{Config: team(account, name, "delete_bound_volumes = true")},
			{Config: team(account, name, "delete_bound_volumes = true"), Destroy: true},
		},
	})
}

func TestAccTeamIsImportedByIdentity(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	account, name := bed.Account(role), acctest.Name("acc-team")
	owner := acctest.Name("acc-identity")
	bed.Sweep(owner)
	w := bed.Workspace(acctest.Owned(owner) + fmt.Sprintf("resource \"trainyard_team_quota\" \"this\" {\n  name = %q\n%s\n}\n", name, everything))
	w.Must(w.Apply(), 0)
	p := acctest.NewProtocol(t)
	p.Configure(fmt.Sprintf(`{"cluster":{"host":%q,"ca":%q},"token":%q,"owner":%q}`, account.Host, account.CA, account.Token, owner))
	attributes, identity := p.ImportByIdentity("trainyard_team_quota", name)
	if identity != name {
		t.Errorf("the identity is %q, want %q", identity, name)
	}
	var center string
	if err := attributes["cost_center"].As(&center); err != nil || center != "cc-4711" {
		t.Errorf("the cost center is %q, %v", center, err)
	}
	w.Must(w.Destroy(), 0)
}

func TestAccRegistryPasswordIsInNoStateAndRotates(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	account, name, owner := bed.Account(role), acctest.Name("acc-team"), acctest.Name("acc-registry")
	bed.Sweep(owner)
	config := func(password, version string) string {
		return acctest.Owned(owner) + fmt.Sprintf(`
resource "trainyard_team_quota" "this" {
  name     = %q
  registry = { server = "registry.example.com", username = "robot", password = %q, password_version = %q }
}
`, name, password, version)
	}
	w := bed.Workspace(config("first-secret", "1"))
	w.Kubeconfig = account.Kubeconfig
	w.Must(w.Apply(), 0)
	w.Settled()
	stored := func() string {
		data, _ := bed.Get(kube.Secret, name, objects.RegistryName).Object["data"].(map[string]any)
		return decoded(t, data)
	}
	if !strings.Contains(stored(), "first-secret") {
		t.Errorf("the Secret holds %s", stored())
	}
	w.Write(config("second-secret", "2"))
	w.Must(w.Apply(), 0)
	w.Settled()
	if !strings.Contains(stored(), "second-secret") {
		t.Error("the Secret does not hold the new password")
	}
	bed.Edit(kube.Secret, name, objects.RegistryName, `{"data":{".dockerconfigjson":"e30="}}`)
	plan := w.Must(w.Plan(), acctest.Changes)
	if !strings.Contains(plan.Text, "by kubectl-edit") && !strings.Contains(plan.Text, "rewritten") {
		t.Errorf("the plan does not show that the Secret was rewritten: %s", plan.Text)
	}
	w.Must(w.Apply(), 0)
	w.Settled()
	if !strings.Contains(stored(), "second-secret") {
		t.Error("the Secret was not repaired")
	}
	if state := string(w.State()); strings.Contains(state, "first-secret") || strings.Contains(state, "second-secret") || strings.Contains(plan.Text, "secret\"") {
		t.Error("a password is in the state")
	}
	w.Must(w.Destroy(), 0)
}
