// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const cephGroup = "ceph.rook.io"

// cephKinds are those that the stand-in operator looks after; the cluster goes last.
var cephKinds = []kube.Kind{
	acctest.Kind(cephGroup, "v1", "CephBlockPool", "cephblockpools", true),
	acctest.Kind(cephGroup, "v1", "CephFilesystem", "cephfilesystems", true),
	acctest.Kind(cephGroup, "v1", "CephObjectStore", "cephobjectstores", true),
	acctest.Kind(cephGroup, "v1", "CephCluster", "cephclusters", true),
}

var deployments = acctest.Kind("apps", "v1", "Deployment", "deployments", true)

// operator stands in for Rook's: it puts finalizers on what it finds, says that it is ready,
// and lets it go again; while it is dead it does nothing.
type operator struct {
	bed       *acctest.Bed
	namespace string
	dead      atomic.Bool
}

func startOperator(t *testing.T, bed *acctest.Bed, namespace string) *operator {
	t.Helper()
	o := &operator{bed: bed, namespace: namespace}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !o.dead.Load() {
					o.look(ctx)
				}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return o
}

// look is one round. What fails is tried again in the next.
func (o *operator) look(ctx context.Context) {
	left := 0
	for _, kind := range cephKinds {
		all := o.bed.Client().Resource(kind.GroupVersion().WithResource(kind.Resource)).Namespace(o.namespace)
		list, err := all.List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for _, object := range list.Items {
			finalizers := []string{kind.Resource + "." + cephGroup}
			phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
			switch leaving := object.GetDeletionTimestamp() != nil; {
			case leaving && (kind.Kind != "CephCluster" || left == 0):
				finalizers = nil
			case leaving, len(object.GetFinalizers()) > 0 && phase == "Ready":
				left++
				continue
			}
			left++
			patch, _ := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": finalizers}, "status": map[string]any{"phase": "Ready"}})
			_, _ = all.Patch(ctx, object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "rook"})
		}
	}
}

func chart(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func ceph(t *testing.T, ns, more string) string {
	t.Helper()
	return tier(ns, fmt.Sprintf(`shared = { ceph = {
    operator      = { namespace = %[1]q, chart = { path = %[2]q } }
    cluster       = { namespace = %[1]q, chart = { path = %[3]q } }
    device_filter = "^nvme"
    %[4]s
  } }`, ns, chart(t, "rook-ceph"), chart(t, "rook-ceph-cluster"), more), `timeouts = { delete = "20s" }`)
}

func TestAccCephTierGoesWhileItsOperatorLives(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	o := startOperator(t, bed, ns)
	for _, name := range []string{"cephclusters", "cephblockpools", "cephfilesystems", "cephobjectstores", "cephobjectstoreusers"} {
		bed.Clean(acctest.Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false), "", name+"."+cephGroup)
	}
	w := bed.Workspace(ceph(t, ns, `block = {}, filesystem = { erasure_coding = { data = 4, coding = 2 } }`))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "create StorageClass "+ns+"-block", "create StorageClass "+ns+"-filesystem", "create CephCluster "+ns+"/"+ns)
	w.Must(w.Apply(), 0)
	w.Settled()
	class := bed.Get(storageClasses, "", ns+"-filesystem")
	if pool, _, _ := unstructured.NestedString(class.Object, "parameters", "pool"); pool != ns+"-fs-coded" || class.Object["provisioner"] != ns+".cephfs.csi.ceph.com" {
		t.Errorf("the class has %v of %v", class.Object["parameters"], class.Object["provisioner"])
	}

	t.Log("what the operator writes is no drift; what somebody else changes is")
	bed.Edit(cephKinds[0], ns, ns+"-block", `{"spec":{"replicated":{"size":1}}}`)
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "CephBlockPool "+ns+"/"+ns+"-block: spec.replicated.size")
	w.Must(w.Apply(), 0)
	w.Settled()

	t.Log("a pool with volumes is not taken away")
	local(t, bed, ns+"-volume", ns+"-block", "claim")
	w.Write(ceph(t, ns, `filesystem = { erasure_coding = { data = 4, coding = 2 } }`))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, "1 volumes of its classes "+ns+"-block hold data", "PersistentVolume "+ns+"-volume (of default/claim)")
	bed.Delete(volumes, "", ns+"-volume")
	w.Write(ceph(t, ns, `block = {}, filesystem = { erasure_coding = { data = 4, coding = 2 } }`))

	t.Log("copies in place of chunks take a pool away, which volumes of the class keep")
	local(t, bed, ns+"-volume", ns+"-filesystem", "claim")
	w.Write(ceph(t, ns, `block = {}, filesystem = {}`))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, "1 volumes of its classes "+ns+"-filesystem hold data")
	bed.Delete(volumes, "", ns+"-volume")
	w.Write(ceph(t, ns, `block = {}, filesystem = { erasure_coding = { data = 4, coding = 2 } }`))

	t.Log("an operator that is dead leaves finalizers, which nobody takes off")
	o.dead.Store(true)
	bed.Edit(deployments, ns, "rook-ceph-operator", `{"spec":{"replicas":0}}`)
	bed.Await("the operator to end", func() bool {
		ready, _, _ := unstructured.NestedInt64(bed.Get(deployments, ns, "rook-ceph-operator").Object, "status", "readyReplicas")
		return ready == 0
	})
	has(t, w.Must(w.Destroy(), 1).Text, "is still there, with the finalizers [ceph", "Deployment "+ns+"/rook-ceph-operator has 0 of 0 pods ready", "bring the operator up")
	bed.Get(cephKinds[3], ns, ns)
	bed.Get(deployments, ns, "rook-ceph-operator")

	t.Log("with the operator back the destroy ends")
	o.dead.Store(false)
	w.Must(w.Destroy(), 0)
	if bed.Find(deployments, ns, "rook-ceph-operator") != nil || bed.Find(storageClasses, "", ns+"-block") != nil {
		t.Error("the operator or a class is still there")
	}
}

func TestAccCSITier(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	bed.Clean(storageClasses, "", ns+"-files")
	nfs := func(share string) string {
		return tier(ns, fmt.Sprintf(`shared = { csi = {
    namespace   = %q
    chart       = { path = %q }
    values      = { driver = { name = "nfs.csi.k8s.io" } }
    provisioner = "nfs.csi.k8s.io"
    classes = { files = { parameters = { server = "nfs.example.com", share = %q }, mount_options = ["nfsvers=4.1"], allow_expansion = true } }
  } }`, ns, chart(t, "csi-driver-nfs"), share))
	}
	w := bed.Workspace(nfs("/a"))
	w.Must(w.Apply(), 0)
	w.Settled()
	text, _, _ := unstructured.NestedString(bed.Get(storageClasses, "", ns+"-files").Object, "parameters", "share")
	if text != "/a" {
		t.Errorf("share: %q", text)
	}
	bed.Get(acctest.ConfigMap, ns, "csi-nfs-node")
	w.Write(nfs("/b"))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "create StorageClass "+ns+"-files-", "keep StorageClass "+ns+"-files (a class cannot change")
	w.Must(w.Apply(), 0)
	w.Settled()
	w.Write(nfs("/a"))
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, string(w.State()), `"files": "`+ns+`-files"`)
	w.Must(w.Destroy(), 0)
}
