// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// site is a set of simulated nodes of one test, found by a label of their own.
type site struct {
	*acctest.Bed
	t     *testing.T
	group string
}

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{Bed: acctest.New(t), t: t, group: acctest.Name("acc-group")}
}

// node makes a ready node of a group.
func (s *site) node(suffix, group string) string {
	s.t.Helper()
	name := s.group + "-" + suffix
	s.Make(kube.Node, "", fmt.Sprintf("{metadata: {name: %q, labels: {group: %q}, annotations: {kwok.x-k8s.io/node: fake}}}", name, group))
	s.Clean(kube.Node, "", name)
	return name
}

// config is a cluster with these pools and whatever else its block has.
func (s *site) config(pools string, more ...string) string {
	return acctest.Owned("default") + fmt.Sprintf(`
resource "trainyard_gpu_cluster" "this" {
  name  = %q
  pools = {
%s
  }
  deletion_protection = false
  %s
}
`, s.group, pools, strings.Join(more, "\n"))
}

// pool is one that picks the nodes of a group.
func pool(name, group, more string) string {
	return fmt.Sprintf("    %s = {\n      selector = { group = %q }\n%s\n    }\n", name, group, more)
}

// labels are those of a node that Trainyard or this test puts there.
func (s *site) labels(node string) map[string]string {
	kept := map[string]string{}
	for key, value := range s.Get(kube.Node, "", node).GetLabels() {
		if strings.HasPrefix(key, "trainyard.io/") || strings.HasPrefix(key, "acc/") || strings.HasPrefix(key, "nvidia.com/mig") {
			kept[key] = value
		}
	}
	return kept
}

func (s *site) taints(node string) string {
	list, _, _ := unstructured.NestedSlice(s.Get(kube.Node, "", node).Object, "spec", "taints")
	var all []string
	for _, entry := range list {
		taint, _ := entry.(map[string]any)
		if key := fmt.Sprint(taint["key"]); !strings.HasPrefix(key, "node.kubernetes.io/") {
			all = append(all, fmt.Sprintf("%v=%v:%v", key, taint["value"], taint["effect"]))
		}
	}
	return strings.Join(all, " ")
}

func has(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in: %s", want, text)
		}
	}
}

func TestAccPoolsGiveTheirNodesLabelsAndTaints(t *testing.T) {
	s := newSite(t)
	a, b, other := s.node("a", s.group), s.node("b", s.group), s.node("other", "elsewhere")
	full := pool("h100", s.group, `
      accelerator = "h100"
      labels      = { "acc/rack" = "r1" }
      taints      = [{ key = "nvidia.com/gpu", value = "present", effect = "NoSchedule" }]
      mig         = { profile = "1g.10gb" }
      tasks       = ["training"]`)
	w := s.Workspace(s.config(full))
	w.Must(w.Apply(), 0)
	w.Settled()
	want := map[string]string{
		"trainyard.io/cluster": s.group, "trainyard.io/pool": "h100", "trainyard.io/accelerator": "h100", "trainyard.io/task-training": "true",
		"acc/rack": "r1", "nvidia.com/mig.config": "all-1g.10gb",
	}
	for _, node := range []string{a, b} {
		if diff := cmp.Diff(want, s.labels(node)); diff != "" {
			t.Errorf("labels of %s (-want +got):\n%s", node, diff)
		}
		if got := s.taints(node); got != "nvidia.com/gpu=present:NoSchedule" {
			t.Errorf("taints of %s: %s", node, got)
		}
	}
	if len(s.labels(other)) > 0 {
		t.Errorf("a node of no pool has %v", s.labels(other))
	}

	t.Log("what others add is theirs; what they remove or change is drift, and a new node waits")
	s.Edit(kube.Node, "", a, `{"metadata":{"labels":{"acc/theirs":"x","acc/rack":"r9"}},"spec":{"taints":[{"key":"theirs","value":"x","effect":"NoSchedule"}]}}`)
	joined := s.node("joined", s.group)
	text := w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, `Node `+a+`: metadata.labels[\"acc/rack\"]: \"r1\" -> \"r9\", by kubectl-edit at`, `Node `+a+`: spec.taints[nvidia.com/gpu:NoSchedule]: \"present\" -> none`,
		"Node "+joined+": joined pool h100")
	w.Must(w.Apply(), 0)
	w.Settled()
	want["acc/theirs"] = "x"
	if diff := cmp.Diff(want, s.labels(a)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if got := s.taints(a); got != "theirs=x:NoSchedule nvidia.com/gpu=present:NoSchedule" {
		t.Errorf("taints: %s", got)
	}
	if got := s.labels(joined)["trainyard.io/pool"]; got != "h100" {
		t.Errorf("the new node is in pool %q", got)
	}

	t.Log("what the configuration gives no longer is taken back in place")
	w.Write(s.config(pool("h100", s.group, `      labels = { "acc/rack" = "r2" }`)))
	text = w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, `labels[\"acc/rack\"]: \"r1\" -> \"r2\"`, `taints[nvidia.com/gpu:NoSchedule]: \"present\" -> none`)
	w.Must(w.Apply(), 0)
	w.Settled()
	if diff := cmp.Diff(map[string]string{"trainyard.io/cluster": s.group, "trainyard.io/pool": "h100", "acc/rack": "r2", "acc/theirs": "x"}, s.labels(a)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}

	t.Log("a destroy leaves the nodes, and what others gave them")
	w.Must(w.Destroy(), 0)
	if diff := cmp.Diff(map[string]string{"acc/theirs": "x"}, s.labels(a)); diff != "" || s.taints(a) != "theirs=x:NoSchedule" {
		t.Errorf("taints %s, labels (-want +got):\n%s", s.taints(a), diff)
	}
}

func TestAccPoolsThatCannotBe(t *testing.T) {
	s := newSite(t)
	node := s.node("a", s.group)
	w := s.Workspace(s.config(pool("one", s.group, "") + pool("two", s.group, "")))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, "picks the nodes of the pool")

	s.Edit(kube.Node, "", node, `{"metadata":{"labels":{"acc/zone":"z"}}}`)
	w.Write(s.config(pool("one", s.group, "") + "    two = { selector = { \"acc/zone\" = \"z\" } }\n"))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, "node "+node+" is picked by the pools one and two")

	w.Write(s.config(pool("one", s.group, `      accelerator = "h100"
      mig = { profile = "1g.5gb" }`)))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, `the h100 has no profile "1g.5gb"`, "1g.10gb, 1g.20gb")

	t.Log("a pool of no nodes is a warning, and not ready")
	w.Write(s.config(pool("one", s.group, "") + pool("empty", s.group+"-none", "")))
	has(t, w.Must(w.Apply(), 0).Text, "is not ready", "the selector of pool empty picks no node")
	if got := s.labels(node)["trainyard.io/pool"]; got != "one" {
		t.Errorf("the node is in pool %q", got)
	}
	w.Write(s.config(pool("one", s.group, "")))
	w.Must(w.Apply(), 0)
	w.Settled()
	w.Must(w.Destroy(), 0)
}

func TestAccNodesComeAndGo(t *testing.T) {
	s := newSite(t)
	a, b := s.node("a", s.group), s.node("b", s.group)
	proxy := faultproxy.Start(t, s.Config)
	w := s.Workspace(s.config(pool("one", s.group, `      taints = [{ key = "acc/x", effect = "NoSchedule" }]`))).Through(proxy)

	t.Log("a node that changes while it is written is read again, and the change of the other one stays")
	var once sync.Once
	proxy.Watch(func(_ int, r faultproxy.Request) {
		if r.Verb == "patch" && r.Resource == "nodes" {
			once.Do(func() {
				s.Edit(kube.Node, "", a, `{"spec":{"taints":[{"key":"theirs","effect":"NoSchedule"}]}}`)
				s.Edit(kube.Node, "", b, `{"spec":{"taints":[{"key":"theirs","effect":"NoSchedule"}]}}`)
			})
		}
	}, nil)
	w.Must(w.Apply(), 0)
	proxy.Watch(nil, nil)
	for _, node := range []string{a, b} {
		has(t, s.taints(node), "theirs=<nil>:NoSchedule", "acc/x=<nil>:NoSchedule")
	}

	t.Log("a plan costs two requests")
	w.Settled()
	proxy.Reset()
	w.Settled()
	if diff := cmp.Diff(map[string]int{"get namespaces": 1, "list nodes": 1}, proxy.Counts()); diff != "" {
		t.Errorf("requests of a plan (-want +got):\n%s", diff)
	}

	t.Log("a node that goes is no drift, and one that goes while labels are written no failure")
	s.Delete(kube.Node, "", a)
	w.Settled()
	joined := s.node("joined", s.group)
	proxy.Watch(func(_ int, r faultproxy.Request) {
		if r.Verb == "patch" && r.Resource == "nodes" {
			s.Begin(kube.Node, "", joined)
		}
	}, nil)
	w.Must(w.Apply(), 0)
	proxy.Watch(nil, nil)
	w.Settled()
	w.Must(w.Destroy(), 0)
}

func TestAccImportedClusterIsTakenOver(t *testing.T) {
	s := newSite(t)
	node := s.node("a", s.group)
	w := s.Workspace(s.config(pool("one", s.group, `      labels = { "acc/rack" = "r1" }`)))
	w.Must(w.Apply(), 0)

	t.Log("what a lost state knew is not removed by a guess, and taken over by an apply")
	w.SetState(nil)
	w.Must(w.Run("import", "trainyard_gpu_cluster.this", s.group), 0)
	has(t, w.Must(w.Run("destroy", "-auto-approve"), acctest.Failed).Text, "it was imported and not applied since")
	w.Must(w.Apply(), 0)
	w.Settled()
	w.Must(w.Destroy(), 0)
	if left := s.labels(node); len(left) > 0 {
		t.Errorf("the node still has %v", left)
	}
}
