// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// wholePlatform are the fields of a platform with a part of each kind. rack changes something.
func wholePlatform(t *testing.T, name, rack string) string {
	t.Helper()
	return fmt.Sprintf(`
    scheduler  = { chart = { path = %[1]q } }
    queues     = { %[2]s-p0 = { percent = 60, priority = 100 }, %[2]s-p1 = { percent = 40, priority = 10 } }
    teams      = { %[2]s-vision = { queue = "%[2]s-p1", requests = { "nvidia.com/gpu" = "32" }, egress_cidrs = ["10.%[3]s.0.0/16"] } }
    storage = {
      %[2]s-cache = { cache = { path = "/mnt/%[3]s" } }
      %[2]s-home  = { csi = { provisioner = "nfs.csi.k8s.io", classes = { home = { parameters = { server = "nfs.example.com" } } } } }
    }
    monitoring = { install = false, external_operator = false, gpu_exporter = false, alerts = { GPUUnderused = { threshold = %[3]s } } }
`, standInVolcano(t), name, rack)
}

// platformKinds are the kinds of object that a whole platform has with our labels.
var platformKinds = append([]kube.Kind{
	acctest.ConfigMap, acctest.ClusterRole,
	acctest.Kind("apps", "v1", "Deployment", "deployments", true),
	acctest.Kind("apps", "v1", "DaemonSet", "daemonsets", true),
	acctest.Kind("storage.k8s.io", "v1", "StorageClass", "storageclasses", false),
}, owned...)

// TestAccSoakKilledPlatformConverges kills applies of a whole platform at random requests: the
// next apply converges, the plan after it is empty, and a destroy leaves nothing.
func TestAccSoakKilledPlatformConverges(t *testing.T) {
	bed := acctest.New(t)
	owner, name := acctest.Name("acc-whole"), acctest.Name("acc-whole")
	bed.Sweep(owner)
	bed.Make(kube.Node, "", fmt.Sprintf("{metadata: {name: %[1]q, labels: {group: %[1]q}, annotations: {kwok.x-k8s.io/node: fake}}}", name))
	bed.Clean(kube.Node, "", name)
	proxy := faultproxy.Start(t, bed.Config)
	config := func(rack int) string {
		return platformText(t, owner, name, wholePlatform(t, name, fmt.Sprint(rack)))
	}
	w := bed.ProgramWorkspace(config(10)).Through(proxy)
	w.Must(w.Run("get"), 0)
	w.Must(w.Apply(), 0)
	creation := len(proxy.Requests())
	proxy.Reset()
	w.Must(w.Destroy(), 0)

	seed := rand.Uint64()
	t.Logf("%d rounds with seed %d; an apply makes %d requests", acctest.Rounds(t), seed, creation)
	random := rand.New(rand.NewPCG(seed, 0))
	killed := 0
	for round := range acctest.Rounds(t) {
		w.Write(config(20 + round%50)) // each round changes something
		k := acctest.Kill{Request: 1 + random.IntN(creation), After: random.IntN(2) == 0, Terraform: random.IntN(2) == 0}
		if w.Killed(proxy, k, "apply", "-auto-approve") {
			killed++
		}
		w.Mend()
		applyAgain(w)
		w.Settled()
		if t.Failed() {
			t.Fatalf("round %d: %s", round, k)
		}
		if random.IntN(2) == 0 { // the next round creates, else it updates
			w.Must(w.Destroy(), 0)
			platformGone(t, bed, owner)
		}
	}
	t.Logf("%d applies were killed", killed)
	w.Must(w.Destroy(), 0)
	platformGone(t, bed, owner)
}

// applyAgain applies until it is through: a release that a killed run held is free again once
// that run has given no sign of life for a while, and until then an apply says so.
func applyAgain(w *acctest.Workspace) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		if w.Apply().Code == 0 {
			return
		}
	}
	w.Must(w.Apply(), 0)
}

func platformGone(t *testing.T, bed *acctest.Bed, owner string) {
	t.Helper()
	for _, kind := range platformKinds {
		for _, object := range bed.List(kind, objects.LabelOwner+"="+owner) {
			if object.GetDeletionTimestamp() == nil {
				t.Errorf("%s is still there", objects.Ref(&object))
			}
		}
	}
}
