// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"math/rand/v2"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
)

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
	t.Logf("%d rounds with seed %d; an apply makes %d requests", acctest.Rounds(t), seed, creation)
	random := rand.New(rand.NewPCG(seed, 0))
	killed, gpus := 0, 4
	for round := range acctest.Rounds(t) {
		gpus = 4 + (gpus-3)%4 // each round changes something
		w.Write(platform(owner, name, gpus))
		k := acctest.Kill{Request: 1 + random.IntN(creation), After: random.IntN(2) == 0, Terraform: random.IntN(2) == 0}
		struck := w.Killed(proxy, k, "apply", "-auto-approve")
		if struck {
			killed++
		}
		w.Mend()
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
