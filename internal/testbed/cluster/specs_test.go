// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func testPlan() plan {
	return plan{folder: "/state", state: testState(), binaries: map[string]string{
		"etcd": "/bin/etcd", "kube-apiserver": "/bin/kube-apiserver", "kube-controller-manager": "/bin/kube-controller-manager",
		"kube-scheduler": "/bin/kube-scheduler", "kwok": "/bin/kwok", standin: "/bin/testbed",
	}}
}

func TestCommandLines(t *testing.T) {
	p := testPlan()
	p.binaries[vcWebhook] = "/volcano/vc-webhook-manager"
	specs := append([]process.Spec{p.etcd(), p.apiServer(), p.controllerManager(), p.scheduler(), p.kwok(), p.webhookManager()}, p.volcano()...)
	var text strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&text, "%s\n  %s\n\n", spec.Path, strings.Join(spec.Args, "\n  "))
	}
	golden := filepath.Join("testdata", "commands.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("command lines (-want +got), rewrite with -update:\n%s", diff)
	}
}

func TestEverythingListensOnLoopbackOnly(t *testing.T) {
	p := testPlan()
	p.binaries[vcWebhook] = "/volcano/vc-webhook-manager"
	for _, spec := range []process.Spec{p.apiServer(), p.controllerManager(), p.scheduler()} {
		if !slices.Contains(spec.Args, "--bind-address=127.0.0.1") {
			t.Errorf("%s does not bind to loopback", spec.Name)
		}
	}
	for _, arg := range slices.Concat(p.etcd().Args, p.kwok().Args, p.webhookManager().Args) {
		if strings.Contains(arg, "0.0.0.0") {
			t.Errorf("%s listens beyond loopback", arg)
		}
	}
}

func TestLargeFleetsRenewNoLeases(t *testing.T) {
	for nodes, want := range map[int]bool{leaseLimit: true, leaseLimit + 1: false} {
		p := testPlan()
		p.state.Pools[0].Nodes = nodes
		renews := slices.Contains(p.kwok().Args, "--node-lease-duration-seconds=40")
		watches := !slices.Contains(p.controllerManager().Args, "--controllers=*,-node-lifecycle-controller")
		beats := strings.Contains(p.kwokStages(), "node-heartbeat-with-lease")
		if renews != want || watches != want || beats != want {
			t.Errorf("%d nodes: leases %t, watched %t, heartbeats %t, want all %t", nodes, renews, watches, beats, want)
		}
	}
}

func TestTheRealVolcanoReplacesTheStandin(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{vcScheduler, vcController} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	programs, err := volcanoPrograms(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := testPlan()
	for name, path := range programs {
		p.binaries[name] = path
	}
	var names []string
	for _, spec := range p.volcano() {
		names = append(names, spec.Name)
	}
	if diff := cmp.Diff([]string{vcController, vcScheduler}, names); diff != "" {
		t.Errorf("processes (-want +got):\n%s", diff)
	}
	if p.has(vcWebhook) {
		t.Error("vc-webhook-manager is not in the folder and yet it would run")
	}
}

func TestAFolderWithoutVolcanoIsRefused(t *testing.T) {
	if _, err := volcanoPrograms(t.TempDir()); err == nil || !strings.Contains(err.Error(), vcScheduler) {
		t.Errorf("got error %v, want one that says what was looked for", err)
	}
}
