// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
)

// soakEnv is how many kills a soak takes; `make soak` sets it.
const (
	soakEnv    = "TRAINYARD_SOAK_ROUNDS"
	soakRounds = 4
)

// Rounds is how many rounds a test with random kills goes through.
func Rounds(t *testing.T) int {
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

// Kill says when a run of Terraform is struck, and how much of it.
type Kill struct {
	Request int                           // at this request to the API server, counted from 1, or a later one
	When    func(faultproxy.Request) bool // at the first request of which this is true; nil: any
	After   bool                          // after the API server has carried it out, before the provider knows
	// Terraform too, not the provider alone.
	Terraform bool
	// Interrupt is Ctrl-C for Terraform instead of a kill.
	Interrupt bool
}

func (k Kill) String() string {
	who, when := "the provider", "before"
	if k.Terraform {
		who = "Terraform and the provider"
	}
	if k.After {
		when = "after"
	}
	return fmt.Sprintf("%s killed %s request %d", who, when, k.Request)
}

// Killed runs a command of Terraform through a proxy and strikes it; false where the run was
// over before.
func (w *Workspace) Killed(proxy *faultproxy.Proxy, k Kill, args ...string) bool {
	w.t.Helper()
	command := w.Command(args...)
	if err := command.Start(); err != nil {
		w.t.Fatalf("start terraform: %v", err)
	}
	parent := command.Process.Pid
	var struck atomic.Bool
	strike := func(n int, r faultproxy.Request) {
		if n < k.Request || (k.When != nil && !k.When(r)) || struck.Swap(true) {
			return
		}
		k.strike(w.t, parent)
	}
	if k.After { // long before Terraform has started a provider that could send anything
		proxy.Watch(nil, strike)
	} else {
		proxy.Watch(strike, nil)
	}
	defer proxy.Heal()
	_ = command.Wait() // what matters is what the next run makes of it
	return struck.Load()
}

func (k Kill) strike(t *testing.T, terraform int) {
	t.Helper()
	switch {
	case k.Interrupt:
		_ = syscall.Kill(terraform, syscall.SIGINT)
	case k.Terraform:
		_ = syscall.Kill(-terraform, syscall.SIGKILL) // the group: Terraform and its provider
	default:
		for _, pid := range children(t, terraform) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
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

// Mend does what a user has to where Terraform was killed while it wrote its state, which it
// does in place: half a file is no state, and what it knew is found again by its labels.
func (w *Workspace) Mend() {
	w.t.Helper()
	text := w.State()
	if len(text) > 0 && !json.Valid(text) {
		w.t.Log("Terraform left half a state file; beginning without one")
		w.SetState(nil)
	}
}
