// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// patience is how long a run may take to end after Ctrl-C.
const patience = 15 * time.Second

// full is a chart with a definition, objects, hooks before and after, and something to wait for.
func (s *stage) full() string {
	chart := s.everything()
	s.copy("testdata/charts/hooked/templates/all.yaml", chart+"/templates/hook.yaml")
	s.rewrite(chart+"/templates/hook.yaml", "name: {{ .Release.Name }}\ndata", "name: {{ .Release.Name }}-revision\ndata")
	s.append(chart+"/values.yaml", "events: pre-install,post-install,pre-upgrade,post-upgrade,pre-delete\npolicy: before-hook-creation,hook-succeeded\n")
	return chart
}

func TestAccInterruptEndsAnInstallationSoon(t *testing.T) {
	for _, point := range []struct {
		name, request string
		more          string
	}{
		{name: "before the first write", request: "create secrets"},
		{name: "during the definitions", request: "apply customresourcedefinitions"},
		{name: "during the hooks", request: "apply jobs"},
		{name: "during the objects", request: "apply deployments"},
		{name: "during the wait", request: "list deployments", more: nowhere + "\n timeouts = { create = \"5m\" }"},
	} {
		t.Run(point.name, func(t *testing.T) {
			s := prepare(t)
			proxy := faultproxy.Start(t, s.Config)
			chart := s.full()
			w := run{s.ProgramWorkspace(s.component(chart, point.more)).Through(proxy), s}
			var struck time.Time
			written := false
			when := func(r faultproxy.Request) bool {
				written = written || r.String() == "create secrets"
				if !written || r.String() != point.request {
					return false
				}
				struck = time.Now()
				return true
			}
			if !w.Killed(proxy, acctest.Kill{When: when, Interrupt: true}, "apply", "-auto-approve") {
				t.Fatal("the run was over before")
			}
			if took := time.Since(struck); took > patience {
				t.Errorf("the run went on for %s", took.Round(time.Second))
			}
			s.converges(w, chart)
		})
	}
}

// converges applies after a run that was cut off; the plan after it is empty, nothing of ours is
// without state, and a destroy leaves nothing.
func (s *stage) converges(w run, chart string) {
	s.t.Helper()
	w.Mend()
	w.Write(s.component(chart, "delete = { crds = true, volumes = true }"))
	w.settle()
	w.Settled()
	w.Must(w.Destroy(), 0)
	s.nothingLeft()
}

// nothingLeft fails the test where an object carries the owner's label.
func (s *stage) nothingLeft() {
	s.t.Helper()
	for _, kind := range []kube.Kind{deployment, service, account, secret, volume, job, acctest.ConfigMap, acctest.ClusterRole, definition} {
		for _, object := range s.List(kind, objects.LabelOwner+"="+s.owner) {
			if object.GetDeletionTimestamp() == nil {
				s.t.Errorf("%s is in the cluster and no state knows of it", objects.Ref(&object))
			}
		}
	}
}

// TestAccSoakKilledComponentConverges kills installations, upgrades and removals at random
// requests: the next apply converges, the plan after it is empty, and a destroy leaves nothing.
func TestAccSoakKilledComponentConverges(t *testing.T) {
	s := prepare(t)
	proxy := faultproxy.Start(t, s.Config)
	chart := s.full()
	config := func(greeting string) string {
		return s.component(chart, fmt.Sprintf("delete = { crds = true, volumes = true }\n  values = { greeting = %q, volume = true, extra = %v }", greeting, len(greeting)%2 == 0))
	}
	w := run{s.ProgramWorkspace(config("")).Through(proxy), s}
	proxy.Reset()
	w.Must(w.Apply(), 0)
	creation := len(proxy.Requests())
	proxy.Reset()
	w.Must(w.Destroy(), 0)
	removal := len(proxy.Requests())

	seed := rand.Uint64()
	t.Logf("%d rounds with seed %d; an installation makes %d requests, a removal %d", acctest.Rounds(t), seed, creation, removal)
	random := rand.New(rand.NewPCG(seed, 0))
	killed, greeting := 0, ""
	for round := range acctest.Rounds(t) {
		greeting = strings.Repeat("x", round%7+1)
		w.Write(config(greeting))
		command, requests := []string{"apply", "-auto-approve"}, creation
		if w.attributes() != nil && random.IntN(3) == 0 {
			command, requests = []string{"destroy", "-auto-approve"}, removal
		}
		k := acctest.Kill{Request: 1 + random.IntN(requests), After: random.IntN(2) == 0, Terraform: random.IntN(2) == 0}
		if w.Killed(proxy, k, command...) {
			killed++
		}
		w.Mend()
		w.settle()
		w.Settled()
		if t.Failed() {
			t.Fatalf("round %d: %s: %s", round, command[0], k)
		}
		if random.IntN(3) == 0 { // the next round installs, else it upgrades or removes
			w.Must(w.Destroy(), 0)
			s.nothingLeft()
		}
	}
	t.Logf("%d runs were killed", killed)
	w.Must(w.Destroy(), 0)
	s.nothingLeft()
}
