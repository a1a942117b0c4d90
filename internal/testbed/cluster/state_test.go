// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/node"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
)

func testState() *State {
	return &State{
		Pools: []node.Pool{{Accelerator: "h100", Nodes: 16}},
		Ports: map[string]int{
			portAPI: 6443, portEtcd: 2379, portEtcdPeer: 2380, portManager: 10257, portScheduler: 10259, portKwok: 10247, portWebhook: 8443,
		},
		Processes: []process.Record{{Spec: process.Spec{Name: "etcd", Path: "/bin/etcd"}, PID: 7, Started: "8", Exe: "/bin/etcd"}},
	}
}

func TestStateIsReadAsItWasWritten(t *testing.T) {
	f := folder(t.TempDir())
	want := testState()
	if err := f.save(want); err != nil {
		t.Fatal(err)
	}
	got, err := f.load()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-written +read):\n%s", diff)
	}
}

func TestLoadTellsAnEmptyFolderFromABrokenState(t *testing.T) {
	f := folder(t.TempDir())
	if _, err := f.load(); !errors.Is(err, ErrNoTestbed) {
		t.Errorf("an empty folder gives %v", err)
	}
	if err := os.WriteFile(f.path(stateFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.load(); err == nil || errors.Is(err, ErrNoTestbed) {
		t.Errorf("a broken state gives %v", err)
	}
}

func TestAFolderWithOtherThingsIsRefusedAndKept(t *testing.T) {
	dir := t.TempDir()
	thesis := filepath.Join(dir, "thesis.tex")
	if err := os.WriteFile(thesis, []byte("years of work"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := folder(dir)
	if err := f.prepare(); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("prepare gives %v, want an error that names the file", err)
	}
	if err := f.purge(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(thesis); err != nil {
		t.Errorf("purge removed what is not a testbed's: %v", err)
	}
}

func TestPurgeRemovesAllThatPrepareMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	f := folder(dir)
	if err := f.prepare(); err != nil {
		t.Fatal(err)
	}
	if err := f.save(testState()); err != nil {
		t.Fatal(err)
	}
	if err := f.credentials(6443); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.path(kubeconfigFile))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig has mode %v", info.Mode().Perm())
	}
	if err := f.purge(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestCredentialsAreMadeOnce(t *testing.T) {
	f := folder(t.TempDir())
	if err := f.prepare(); err != nil {
		t.Fatal(err)
	}
	read := func() string {
		t.Helper()
		if err := f.credentials(6443); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(f.path(kubeconfigFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if first, second := read(), read(); first != second {
		t.Error("the second up changes the kubeconfig")
	}
}

func TestMergeKeepsWhatIsNotGiven(t *testing.T) {
	yes := true
	other := []node.Pool{{Accelerator: "a100", Nodes: 4}}
	tests := map[string]struct {
		options Options
		want    func(*State)
		error   string
	}{
		"nothing given":       {options: Options{}, want: func(*State) {}},
		"pools":               {options: Options{Pools: other}, want: func(s *State) { s.Pools = other }},
		"audit":               {options: Options{Audit: &yes}, want: func(s *State) { s.Audit = true }},
		"the same port":       {options: Options{Port: 6443}, want: func(*State) {}},
		"another port":        {options: Options{Port: 6444}, error: "serves on port 6443"},
		"an impossible pool":  {options: Options{Pools: []node.Pool{{Accelerator: "k80", Nodes: 1}}}, error: "unknown accelerator"},
		"a folder of Volcano": {options: Options{VolcanoBin: "/opt/volcano"}, want: func(s *State) { s.VolcanoBin = "/opt/volcano" }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := folder(t.TempDir())
			if err := f.save(testState()); err != nil {
				t.Fatal(err)
			}
			got, err := merge(f, test.options)
			if test.error != "" {
				if err == nil || !strings.Contains(err.Error(), test.error) {
					t.Fatalf("got error %v, want one with %q", err, test.error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := testState()
			test.want(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestANewTestbedGetsEveryPort(t *testing.T) {
	state, err := merge(folder(t.TempDir()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range listeners {
		if state.Ports[name] == 0 {
			t.Errorf("%s has no port", name)
		}
	}
	if diff := cmp.Diff(DefaultPools, state.Pools); diff != "" {
		t.Errorf("pools (-want +got):\n%s", diff)
	}
}
