// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
)

// soakEnv is how many kills a soak takes; `make soak` sets it.
const (
	soakEnv    = "TRAINYARD_SOAK_ROUNDS"
	soakRounds = 4
)

func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv(soakEnv)
	if text == "" {
		return soakRounds
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number", soakEnv, text)
	}
	return n
}

// kill says when a run is killed, and how much of it.
type kill struct {
	request   int  // at this request to the API server
	after     bool // after the API server has carried it out, before the provider knows
	terraform bool // Terraform too
}

func (k kill) String() string {
	who, when := "the provider", "before"
	if k.terraform {
		who = "Terraform and the provider"
	}
	if k.after {
		when = "after"
	}
	return fmt.Sprintf("%s killed %s request %d", who, when, k.request)
}

// TestAccSoakKilledApplyConverges kills an apply at random requests: the next apply
// converges, the plan after it is empty, and no object is left without state.
func TestAccSoakKilledApplyConverges(t *testing.T) {
	bed := acctest.New(t)
	owner, name := acctest.Name("acc-kill"), acctest.Name("acc-kill")
	bed.Sweep(owner)
	proxy := faultproxy.Start(t, bed.Config)
	w := bed.ProgramWorkspace(platform(owner, name, 4)).Through(proxy)
	w.Must(w.Apply(), 0)
	creation := len(proxy.Requests())
	w.Must(w.Destroy(), 0)

	seed := rand.Uint64()
	t.Logf("%d rounds with seed %d; an apply makes %d requests", rounds(t), seed, creation)
	random := rand.New(rand.NewPCG(seed, 0))
	killed, gpus := 0, 4
	for round := range rounds(t) {
		gpus = 4 + (gpus-3)%4 // each round changes something
		w.Write(platform(owner, name, gpus))
		k := kill{request: 1 + random.IntN(creation), after: random.IntN(2) == 0, terraform: random.IntN(2) == 0}
		struck := applyKilled(t, w, proxy, k)
		if struck {
			killed++
		}
		mend(t, w)
		w.Must(w.Apply(), 0)
		w.Settled()
		noOrphans(t, bed, w, owner)
		if t.Failed() {
			t.Fatalf("round %d: %s", round, k)
		}
		if random.IntN(2) == 0 { // the next round creates, else it updates
			w.Must(w.Destroy(), 0)
		}
	}
	t.Logf("%d applies were killed", killed)
	w.Must(w.Destroy(), 0)
	if left := standing(bed, owner); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

// applyKilled runs an apply and kills it; false where the run was over before.
func applyKilled(t *testing.T, w *acctest.Workspace, proxy *faultproxy.Proxy, k kill) bool {
	t.Helper()
	command := w.Command("apply", "-auto-approve")
	if err := command.Start(); err != nil {
		t.Fatalf("start terraform: %v", err)
	}
	parent := command.Process.Pid
	var struck atomic.Bool
	strike := func(n int, _ faultproxy.Request) {
		if n < k.request || struck.Swap(true) {
			return
		}
		if k.terraform {
			_ = syscall.Kill(-parent, syscall.SIGKILL) // the group: Terraform and its provider
			return
		}
		for _, pid := range children(t, parent) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if k.after { // long before Terraform has started a provider that could send anything
		proxy.Watch(nil, strike)
	} else {
		proxy.Watch(strike, nil)
	}
	defer proxy.Heal()
	_ = command.Wait() // what matters is what the next run makes of it
	return struck.Load()
}

// children finds the providers that a run of Terraform has started.
func children(t *testing.T, parent int) (pids []int) {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	if err != nil {
		t.Error(err)
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// mend does what a user has to where Terraform was killed while it wrote its state, which it
// does in place: half a file is no state, and what it knew is found again by its labels.
func mend(t *testing.T, w *acctest.Workspace) {
	t.Helper()
	text := w.State()
	if len(text) > 0 && !json.Valid(text) {
		t.Log("Terraform left half a state file; beginning without one")
		w.SetState(nil)
	}
}
