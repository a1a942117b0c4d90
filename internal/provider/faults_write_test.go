// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func TestAccTokenThatExpiresDuringAnApplyLosesNothing(t *testing.T) {
	bed := acctest.New(t)
	for _, after := range []int{1, 2, 4, 8} { // writes that still succeed
		t.Run(fmt.Sprintf("after %d writes", after), func(t *testing.T) {
			t.Parallel()
			owner, name := acctest.Name("acc-token"), acctest.Name("acc-token")
			bed := bed.With(t)
			bed.Sweep(owner)
			proxy := faultproxy.Start(t, bed.Config)
			w := bed.Workspace(platform(owner, name, 4)).Through(proxy)
			writes := 0
			proxy.Watch(func(_ int, r faultproxy.Request) {
				if r.Verb == "apply" {
					if writes++; writes == after { // this one is already on its way
						proxy.Inject(faultproxy.Fault{Kind: faultproxy.Unauthorized})
					}
				}
			}, nil)
			result := w.Must(w.Apply(), acctest.Failed)
			if !strings.Contains(result.Text, "did not accept the credentials. They may have expired during the run") {
				t.Errorf("Terraform says %q", result.Text)
			}
			proxy.Heal()
			w.Must(w.Apply(), 0)
			w.Settled()
			noOrphans(t, bed, w, owner)
			w.Must(w.Destroy(), 0)
		})
	}
}

func TestAccAnotherClusterBehindTheAddressIsAnError(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	owner, name := acctest.Name("acc-pin"), acctest.Name("acc-pin")
	bed.Sweep(owner)
	proxy := faultproxy.Start(t, bed.Config)
	w := bed.Workspace(platform(owner, name, 4)).Through(proxy)
	w.Must(w.Apply(), 0)
	before := w.State()
	uid := string(bed.Get(kube.Namespace, "", "kube-system").GetUID())
	other := "00000000" + uid[8:]
	proxy.Replace(uid, other)
	want := "another cluster answers behind this connection: the UID of its namespace kube-system is " + other
	for _, result := range []acctest.Result{w.Plan(), w.Apply(), w.Destroy()} {
		if w.Must(result, acctest.Failed); !strings.Contains(result.Text, want) {
			t.Errorf("Terraform says %q, want %q", result.Text, want)
		}
	}
	same(t, before, w.State())
	proxy.Heal()
	w.Settled()
	w.Must(w.Destroy(), 0)
}

func TestAccAdmissionWebhooks(t *testing.T) {
	bed := acctest.New(t)
	for _, c := range []struct {
		name  string
		judge func(acctest.Review) acctest.Verdict
		fails string
	}{
		{"denies a late object", func(r acctest.Review) acctest.Verdict {
			if r.Resource == "networkpolicies" {
				return acctest.Verdict{Deny: "policies come from the network team"}
			}
			return acctest.Verdict{}
		}, "policies come from the network team .*An admission webhook of the cluster stands in the way"},
		{"denies the queue", func(r acctest.Review) acctest.Verdict {
			if r.Resource == "queues" {
				return acctest.Verdict{Deny: "no more queues"}
			}
			return acctest.Verdict{}
		}, "Unable to create queue .*no more queues .*An admission webhook"},
		{"answers 500 first", func(r acctest.Review) acctest.Verdict {
			if r.Number <= 3 {
				return acctest.Verdict{Code: 500}
			}
			return acctest.Verdict{}
		}, ""},
		{"is late first", func(r acctest.Review) acctest.Verdict {
			if r.Number <= 2 {
				return acctest.Verdict{Delay: 3 * time.Second} // the API server waits for one
			}
			return acctest.Verdict{}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			owner, name := acctest.Name("acc-hook"), acctest.Name("acc-hook")
			bed := bed.With(t)
			bed.Sweep(owner)
			bed.Webhook(owner, c.judge, kube.Queue, kube.NetworkPolicy)
			w := bed.Workspace(platform(owner, name, 4))
			if c.fails == "" {
				w.Must(w.Apply(), 0)
				w.Settled()
				noOrphans(t, bed, w, owner)
				w.Must(w.Destroy(), 0)
				return
			}
			result := w.Must(w.Apply(), acctest.Failed)
			if !regexp.MustCompile(c.fails).MatchString(result.Text) {
				t.Errorf("Terraform says %q, want it like %q", result.Text, c.fails)
			}
			if teams := w.Names("trainyard_team_quota"); len(teams) > 0 {
				t.Errorf("the state has the team %v", teams)
			}
			noOrphansSoon(bed, w, owner)
		})
	}
}

// noOrphansSoon waits until nothing stands that no state knows of: a namespace takes a
// moment to go.
func noOrphansSoon(bed *acctest.Bed, w *acctest.Workspace, owner string) {
	queues := len(w.Names("trainyard_training_queue"))
	bed.Await("what a failed create made to be gone", func() bool {
		return len(bed.List(kube.Namespace, objects.LabelOwner+"="+owner)) == 0 && len(bed.List(kube.Queue, objects.LabelOwner+"="+owner)) == queues &&
			len(bed.List(kube.PriorityClass, objects.LabelOwner+"="+owner)) == queues
	})
}

func TestAccFailedUpdatePutsBackWhatItChanged(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	owner, name := acctest.Name("acc-undo"), acctest.Name("acc-undo")
	bed.Sweep(owner)
	w := bed.Workspace(acctest.Owned(owner) + teamText(name, 4, ""))
	w.Must(w.Apply(), 0)
	before, state := contents(bed, owner), w.State()
	bed.Webhook(owner, func(acctest.Review) acctest.Verdict { return acctest.Verdict{Deny: "policies are frozen"} }, kube.NetworkPolicy)
	w.Write(acctest.Owned(owner) + teamText(name, 8, `cost_center = "cc-1"`))
	result := w.Must(w.Apply(), acctest.Failed)
	if !strings.Contains(result.Text, `Unable to update team "`+name+`"`) || !strings.Contains(result.Text, "policies are frozen") {
		t.Errorf("Terraform says %q", result.Text)
	}
	if strings.Contains(result.Text, "could not all be taken back") {
		t.Errorf("something was not taken back: %s", result.Text)
	}
	if diff := cmp.Diff(before, contents(bed, owner)); diff != "" {
		t.Errorf("what stands changed (-before +after):\n%s", diff)
	}
	same(t, state, w.State())
	w.Write(acctest.Owned(owner) + teamText(name, 4, ""))
	w.Settled()
}

// contents are the fields of every object of an owner that somebody could have changed.
func contents(bed *acctest.Bed, owner string) map[string]any {
	all := map[string]any{}
	for _, kind := range owned {
		for _, object := range bed.List(kind, objects.LabelOwner+"="+owner) {
			fresh := objects.Fresh(&object)
			delete(fresh.Object, "status")
			all[objects.Ref(fresh)] = fresh.Object
		}
	}
	return all
}

func TestAccLostAnswerToACreationIsNoOrphan(t *testing.T) {
	bed := acctest.New(t)
	for _, kind := range []faultproxy.Kind{faultproxy.CutBody, faultproxy.CutChunk} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			owner, name := acctest.Name("acc-lost"), acctest.Name("acc-lost")
			bed := bed.With(t)
			bed.Sweep(owner)
			proxy := faultproxy.Start(t, bed.Config)
			w := bed.Workspace(acctest.Owned(owner) + queueText(name, 4, "")).Through(proxy)
			// The class is made, its answer is lost, and the queue that follows is refused.
			proxy.Inject(faultproxy.Fault{Kind: kind, Verb: "apply", Path: "/priorityclasses/", Times: 1})
			proxy.Inject(faultproxy.Fault{Kind: faultproxy.Forbidden, Verb: "apply", Path: "/queues/"})
			w.Must(w.Apply(), acctest.Failed)
			if bed.Find(kube.PriorityClass, "", name) != nil {
				t.Errorf("the PriorityClass %s is in the cluster and no state knows of it", name)
			}
			proxy.Heal()
			w.Must(w.Apply(), 0)
			w.Settled()
			w.Must(w.Destroy(), 0)
		})
	}
}

func TestAccObjectThatAppearsDuringAnApplyIsNotTaken(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	owner, name := acctest.Name("acc-race"), acctest.Name("acc-race")
	bed.Sweep(owner)
	proxy := faultproxy.Start(t, bed.Config)
	w := bed.Workspace(acctest.Owned(owner) + queueText(name, 4, "")).Through(proxy)
	made := false
	proxy.Watch(func(_ int, r faultproxy.Request) {
		if r.Verb == "apply" && r.Resource == "queues" && !made {
			made = true
			bed.Make(kube.Queue, "", fmt.Sprintf("{metadata: {name: %q}, spec: {capability: {nvidia.com/gpu: 7}}}", name))
		}
	}, nil)
	t.Cleanup(func() { bed.Delete(kube.Queue, "", name) })
	result := w.Must(w.Apply(), acctest.Failed)
	if !strings.Contains(result.Text, `conflict with "kubectl-edit"`) {
		t.Errorf("Terraform says %q", result.Text)
	}
	for _, entry := range bed.Get(kube.Queue, "", name).GetManagedFields() {
		if entry.Manager == "trainyard" {
			t.Errorf("the foreign queue was changed: %s", entry.FieldsV1)
		}
	}
	if bed.Find(kube.PriorityClass, "", name) != nil {
		t.Error("the PriorityClass stands without state")
	}
}

func TestAccNamespaceThatDoesNotGoNamesWhatHoldsIt(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	owner, name := acctest.Name("acc-stuck"), acctest.Name("acc-stuck")
	bed.Sweep(owner)
	w := bed.Workspace(acctest.Owned(owner) + teamText(name, 4, `timeouts = { delete = "12s" }`))
	w.Must(w.Apply(), 0)
	bed.Make(acctest.ConfigMap, name, `{metadata: {name: held, finalizers: [example.com/hold]}}`)
	result := w.Must(w.Destroy(), acctest.Failed)
	for _, want := range []string{`Unable to delete team "` + name, "Namespace " + name + " to be gone", "example.com/hold"} {
		if !strings.Contains(result.Text, want) {
			t.Errorf("Terraform says %q, want %q in it", result.Text, want)
		}
	}
	if len(w.Names("trainyard_team_quota")) != 1 {
		t.Error("the team left the state")
	}
	if found := bed.Get(acctest.ConfigMap, name, "held"); len(found.GetFinalizers()) != 1 {
		t.Error("the finalizer was stripped")
	}
	bed.Edit(acctest.ConfigMap, name, "held", `{"metadata":{"finalizers":null}}`)
	w.Must(w.Destroy(), 0)
	if bed.Find(kube.Namespace, "", name) != nil {
		t.Error("the namespace is still there")
	}
}

func TestAccTwoAppliesAtOnce(t *testing.T) {
	bed := acctest.New(t)
	t.Parallel()
	owner, name := acctest.Name("acc-two"), acctest.Name("acc-two")
	bed.Sweep(owner)
	one, two := bed.Workspace(platform(owner, name, 4)), bed.Workspace(platform(owner, name, 4))
	done := make(chan acctest.Result)
	go func() { done <- two.Apply() }()
	first, second := one.Apply(), <-done
	t.Logf("the runs ended with %d and %d", first.Code, second.Code)
	for _, w := range []*acctest.Workspace{one, two} {
		w.Must(w.Apply(), 0)
		w.Settled()
	}
	one.Settled()
	noOrphans(t, bed, one, owner)
	one.Must(one.Destroy(), 0)
	two.Must(two.Apply(), 0) // gone behind its back: made again
	two.Must(two.Destroy(), 0)
	if left := standing(bed, owner); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}
