// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

func TestAccPublishedRolesSufficeForACacheTier(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	w := bed.Workspace(tier(ns, fmt.Sprintf("cache = { namespace = %q, default = true }", ns)))
	w.Kubeconfig = bed.Account("component", "storage_tier").Kubeconfig
	w.Must(w.Apply(), 0)
	w.Settled()
	local(t, bed, ns+"-free", ns, "")
	w.Must(w.Destroy(), 0)
	bed.Await("the free volume to go", func() bool { return bed.Find(volumes, "", ns+"-free") == nil })
}

func TestAccImportTakesOverWhatStands(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	config := tier(ns, fmt.Sprintf("cache = { namespace = %q }", ns))
	first := bed.Workspace(config)
	first.Must(first.Apply(), 0)
	uid := bed.Get(daemonSets, ns, "trainyard-cache-"+ns).GetUID()
	w := bed.Workspace(config)
	w.Must(w.Run("import", "trainyard_storage_tier.this", ns), 0)
	if text := w.Must(w.Plan(), acctest.Changes).Text; strings.Contains(text, "must be replaced") {
		t.Errorf("it would be replaced: %s", text)
	}
	w.Must(w.Apply(), 0)
	w.Settled()
	if bed.Get(daemonSets, ns, "trainyard-cache-"+ns).GetUID() != uid {
		t.Error("the provisioner was made anew")
	}
	w.Must(w.Destroy(), 0)
}

func TestAccARunWhoseStateIsLostGoesOn(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	f := newFront(t)
	config := f.object(ns, datasets)
	killed := bed.Workspace(config)
	killed.Must(killed.Apply(), 0)
	w := bed.Workspace(config)
	w.Must(w.Apply(), 0)
	w.Settled()
	w.Must(w.Destroy(), 0)
}

func TestAccAPlanWithoutAClusterSaysWhatComes(t *testing.T) {
	bed := acctest.New(t)
	ns := acctest.Name("acc-tier")
	config := tier(ns, "cache = {}") + tier(ns+"-ceph", `shared = { ceph = { block = {}, device_filter = "^nvme",
    operator = { chart = { path = "`+chart(t, "rook-ceph")+`" } }, cluster = { chart = { path = "`+chart(t, "rook-ceph-cluster")+`" } } } }`)
	config = strings.Replace(strings.ReplaceAll(config, acctest.Owned("default"), ""), `"this"`, `"first"`, 1)
	w := bed.Workspace(`provider "trainyard" {
  cluster = { host = "https://127.0.0.1:1", insecure = true }
}
` + config)
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "Planned without looking at the cluster", "create StorageClass "+ns, "create StorageClass "+ns+"-ceph-block", "create CephCluster rook-ceph/rook-ceph")
}

func TestAccClassesOfOthersAreRefused(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	bed.Make(storageClasses, "", fmt.Sprintf(`{metadata: {name: %s}, provisioner: csi.example.com}`, ns))
	w := bed.Workspace(tier(ns, fmt.Sprintf("cache = { namespace = %q }", ns)))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, "the StorageClass "+ns+" exists and is not this tier's", "Choose another name")
}
