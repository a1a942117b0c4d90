// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"math/rand/v2"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
)

// TestAccSoakKilledRunConverges kills an apply at random requests: the next apply
// converges, the plan after it is empty, and no object is left without state.
func TestAccSoakKilledRunConverges(t *testing.T) {
	bed := acctest.New(t)
	owner, name := acctest.Name("acc-kill"), acctest.Name("acc-kill")
	bed.Sweep(owner)
	proxy := faultproxy.Start(t, bed.Config)
	w := bed.ProgramWorkspace(platform(owner, name, 4)).Through(proxy)
	w.Must(w.Apply(), 0)
	creation := len(proxy.Requests())
	proxy.Reset()
	w.Must(w.Destroy(), 0)
	removal := len(proxy.Requests())

	seed := rand.Uint64()
	t.Logf("%d rounds with seed %d; an apply makes %d requests, a destroy %d", acctest.Rounds(t), seed, creation, removal)
	random := rand.New(rand.NewPCG(seed, 0))
	kill := func(requests int) acctest.Kill {
		return acctest.Kill{Request: 1 + random.IntN(requests), After: random.IntN(2) == 0, Terraform: random.IntN(2) == 0}
	}
	applies, destroys, gpus := 0, 0, 4
	for round := range acctest.Rounds(t) {
		gpus = 4 + (gpus-3)%4 // each round changes something
		w.Write(platform(owner, name, gpus))
		k := kill(creation)
		if w.Killed(proxy, k, "apply", "-auto-approve") {
			applies++
		}
		converge(t, bed, w, owner)
		if t.Failed() {
			t.Fatalf("round %d: apply: %s", round, k)
		}
		if random.IntN(2) == 0 {
			continue // the next round updates, else it creates
		}
		k = kill(removal)
		if w.Killed(proxy, k, "destroy", "-auto-approve") {
			destroys++
		}
		if w.Mend(); len(w.State()) == 0 || random.IntN(2) == 0 { // nothing to destroy by, or a change of mind
			converge(t, bed, w, owner)
		}
		w.Must(w.Destroy(), 0)
		if left := standing(bed, owner); len(left) > 0 {
			t.Fatalf("round %d: destroy: %s: still there: %v", round, k, left)
		}
	}
	t.Logf("%d applies and %d destroys were killed", applies, destroys)
	w.Must(w.Destroy(), 0)
	if left := standing(bed, owner); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

// converge applies after a run that was cut off: the plan after it is empty, and nothing of ours
// is without state.
func converge(t *testing.T, bed *acctest.Bed, w *acctest.Workspace, owner string) {
	t.Helper()
	w.Mend()
	w.Must(w.Apply(), 0)
	w.Settled()
	noOrphans(t, bed, w, owner)
}
