// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// queueText is a queue with a PriorityClass.
func queueText(name string, gpus int, more string) string {
	return fmt.Sprintf(`
resource "trainyard_training_queue" "this" {
  name           = %[1]q
  capability     = { "nvidia.com/gpu" = "%[2]d" }
  priority_class = { name = %[1]q, value = %[2]d }
  %[3]s
}
`, name, gpus, more)
}

// teamText is a team with every kind of object but the registry's Secret.
func teamText(name string, gpus int, more string) string {
	return fmt.Sprintf(`
resource "trainyard_team_quota" "this" {
  name    = %[1]q
  quota   = { requests = { "nvidia.com/gpu" = "%[2]d" } }
  limits  = { container = { default = { cpu = "%[2]d" } } }
  members = { engineers = { groups = ["ml-%[2]d"] } }
  network = { egress_cidrs = { "10.%[2]d.0.0/16" = {} } }
  %[3]s
}
`, name, gpus, more)
}

// platform is a queue and a team in it.
func platform(owner, name string, gpus int) string {
	return acctest.Owned(owner) + queueText(name, gpus, "") + teamText(name, gpus, "queue = trainyard_training_queue.this.name")
}

// owned are the kinds of object that a platform consists of.
var owned = []kube.Kind{
	kube.Namespace, kube.ResourceQuota, kube.LimitRange, kube.NetworkPolicy, kube.Role, kube.RoleBinding,
	kube.Secret, kube.Queue, kube.PriorityClass,
}

// standing lists every object that carries the owner's label.
func standing(bed *acctest.Bed, owner string) (refs []string) {
	for _, kind := range owned {
		for _, object := range bed.List(kind, objects.LabelOwner+"="+owner) {
			if object.GetDeletionTimestamp() == nil {
				refs = append(refs, objects.Ref(&object))
			}
		}
	}
	slices.Sort(refs)
	return refs
}

// noOrphans fails the test where an object of the owner belongs to no resource in the state.
func noOrphans(t *testing.T, bed *acctest.Bed, w *acctest.Workspace, owner string) {
	t.Helper()
	known := map[string][]string{"training-queue": w.Names("trainyard_training_queue"), "team-quota": w.Names("trainyard_team_quota")}
	for _, kind := range owned {
		for _, object := range bed.List(kind, objects.LabelOwner+"="+owner) {
			resource, _ := objects.OwnerOf(object.GetLabels())
			if !slices.Contains(known[resource.Resource], resource.Name) {
				t.Errorf("%s is in the cluster and no state knows of it", objects.Ref(&object))
			}
		}
	}
}

// same fails the test where the state file changed.
func same(t *testing.T, before, after []byte) {
	t.Helper()
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("the state file changed (-before +after):\n%s", diff)
	}
}
