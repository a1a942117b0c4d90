// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// many is a configuration of n queues and n teams in them.
func many(owner, name string, n int) string {
	return acctest.Owned(owner) + fmt.Sprintf(`
locals { names = [for i in range(%d) : "%s-${i}"] }

resource "trainyard_training_queue" "this" {
  for_each       = toset(local.names)
  name           = each.key
  capability     = { "nvidia.com/gpu" = "8" }
  priority_class = { name = each.key, value = 10 }
}

resource "trainyard_team_quota" "this" {
  for_each = toset(local.names)
  name     = each.key
  queue    = trainyard_training_queue.this[each.key].name
  quota    = { requests = { "nvidia.com/gpu" = "8" } }
  limits   = { container = { default = { cpu = "2" } } }
  members  = { admins = { users = ["ada"] }, engineers = { groups = ["ml"] } }
}
`, n, name)
}

// listed is what a refresh asks for, whatever the number of teams and queues.
func listed() map[string]int {
	return map[string]int{
		"get namespaces": 1, "list namespaces": 1, "list resourcequotas": 1, "list limitranges": 1, "list networkpolicies": 1,
		"list roles": 1, "list rolebindings": 1, "list secrets": 1, "list serviceaccounts": 1, "list queues": 1, "list priorityclasses": 1,
	}
}

func TestAccRequestsOfAPlanDoNotGrowWithTeams(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	owner, name := acctest.Name("acc-count"), acctest.Name("acc-count")
	bed.Sweep(owner)
	const n = 5
	proxy := faultproxy.Start(t, bed.Config)
	w := bed.Workspace(many(owner, name, n)).Through(proxy)

	w.Must(w.Apply(), 0)
	creation := proxy.Counts()
	want := map[string]int{
		"apply namespaces": n, "apply resourcequotas": n, "apply limitranges": n, "apply networkpolicies": 2 * n,
		"apply roles": 2 * n, "apply rolebindings": 2 * n, "apply queues": n, "apply priorityclasses": n,
	}
	for request, count := range creation {
		if _, isWrite := want[request]; !isWrite && listed()[request] == 0 && request != "list nodes" {
			t.Errorf("creation needs %d times %q", count, request)
		}
	}
	for request, count := range want {
		if creation[request] != count {
			t.Errorf("creation needs %d times %q, want %d", creation[request], request, count)
		}
	}

	proxy.Reset()
	w.Settled()
	if diff := cmp.Diff(listed(), proxy.Counts()); diff != "" {
		t.Errorf("requests of a plan without changes (-want +got):\n%s", diff)
	}

	bed.Edit(kube.Queue, "", name+"-1", `{"spec":{"weight":7}}`)
	proxy.Reset()
	w.Must(w.Plan(), acctest.Changes)
	drifted := listed()
	drifted["get queues"] = 1 // to say who did it
	drifted["list nodes"] = 1 // a change is held against what the cluster has
	if diff := cmp.Diff(drifted, proxy.Counts()); diff != "" {
		t.Errorf("requests of a plan with one drifted queue (-want +got):\n%s", diff)
	}
	w.Must(w.Destroy(), 0)
}

func TestAccListThatIsForbiddenIsReadOneByOne(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	owner, name := acctest.Name("acc-403"), acctest.Name("acc-403")
	bed.Sweep(owner)
	proxy := faultproxy.Start(t, bed.Config)
	proxy.Inject(faultproxy.Fault{Kind: faultproxy.Forbidden, Verb: "list", Path: "/(queues|priorityclasses|namespaces|roles)$"})
	w := bed.Workspace(platform(owner, name, 4)).Through(proxy)
	w.Must(w.Apply(), 0)
	w.Settled()
	bed.Edit(kube.Queue, "", name, `{"spec":{"weight":7}}`)
	w.Must(w.Plan(), acctest.Changes)
	w.Must(w.Apply(), 0)
	w.Settled()
}
