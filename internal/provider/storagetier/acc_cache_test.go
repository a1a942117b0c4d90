// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

var (
	storageClasses = acctest.Kind("storage.k8s.io", "v1", "StorageClass", "storageclasses", false)
	volumes        = acctest.Kind("", "v1", "PersistentVolume", "persistentvolumes", false)
	daemonSets     = acctest.Kind("apps", "v1", "DaemonSet", "daemonsets", true)
	secrets        = acctest.Kind("", "v1", "Secret", "secrets", true)
)

const defaultClass = "storageclass.kubernetes.io/is-default-class"

// tier is the configuration of one, which is not protected unless more says so.
func tier(name string, more ...string) string {
	text := strings.Join(more, "\n  ")
	if !strings.Contains(text, "deletion_protection") {
		text += "\n  deletion_protection = false"
	}
	return acctest.Owned("default") + fmt.Sprintf("resource \"trainyard_storage_tier\" \"this\" {\n  name = %q\n  %s\n}\n", name, text)
}

func has(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in: %s", want, text)
		}
	}
}

// space is a namespace of one test, whose name is that of its tier too.
func space(t *testing.T, bed *acctest.Bed) string {
	t.Helper()
	name := acctest.Name("acc-tier")
	bed.Clean(kube.Namespace, "", name)
	bed.Clean(storageClasses, "", name)
	return name
}

func TestAccCacheTier(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	cache := func(more string) string { return tier(ns, fmt.Sprintf("cache = { namespace = %q %s }", ns, more)) }
	w := bed.Workspace(cache(""))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "create StorageClass "+ns, "create DaemonSet "+ns+"/trainyard-cache-"+ns)
	w.Must(w.Apply(), 0)
	w.Settled()
	class := bed.Get(storageClasses, "", ns)
	if mode, _, _ := unstructured.NestedString(class.Object, "volumeBindingMode"); mode != "WaitForFirstConsumer" {
		t.Errorf("the class binds %s", mode)
	}
	text, _, _ := unstructured.NestedString(bed.Get(acctest.ConfigMap, ns, "trainyard-cache-"+ns).Object, "data", "storageClassMap")
	has(t, text, ns+":", "hostDir: /mnt/disks", "fsType: ext4")

	t.Log("what somebody changes or deletes is drift, and put back")
	bed.Edit(storageClasses, "", ns, `{"metadata":{"annotations":{"`+defaultClass+`":"true"}}}`)
	bed.Delete(daemonSets, ns, "trainyard-cache-"+ns)
	has(t, w.Must(w.Plan(), acctest.Changes).Text, `StorageClass `+ns+`: metadata.annotations`, "DaemonSet "+ns+"/trainyard-cache-"+ns+": deleted")
	w.Must(w.Apply(), 0)
	w.Settled()
	if got := bed.Get(storageClasses, "", ns).GetAnnotations()[defaultClass]; got != "false" {
		t.Errorf("default: %q", got)
	}
	bed.Delete(storageClasses, "", ns)
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "storage-classes: is gone", "create StorageClass "+ns)
	w.Must(w.Apply(), 0)
	w.Settled()

	t.Log("other parameters make another class beside the first")
	w.Write(cache(`, reclaim_policy = "Retain", default = true`))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "create StorageClass "+ns+"-", "keep StorageClass "+ns+" ")
	w.Must(w.Apply(), 0)
	w.Settled()
	state := string(w.State())
	has(t, state, "The StorageClass "+ns+" stays for the volumes", `"cache": "`+ns+`-`)
	bed.Get(storageClasses, "", ns)

	t.Log("a second default is refused, and what is protected stays")
	other := bed.Workspace(tier(ns+"-b", fmt.Sprintf("cache = { namespace = %q, default = true }", ns)))
	has(t, other.Must(other.Plan(), acctest.Failed).Text, "would be the cluster's default, and "+ns+"-", "is already")
	w.Write(strings.Replace(w.Config(), "deletion_protection = false", "", 1))
	w.Must(w.Apply(), 0)
	has(t, w.Must(w.Destroy(), 1).Text, "is protected from deletion")
	w.Write(cache(`, reclaim_policy = "Retain", default = true`))
	w.Must(w.Apply(), 0)
	w.Must(w.Destroy(), 0)
	for _, class := range bed.List(storageClasses, "trainyard.io/name="+ns+".storage-classes") {
		t.Errorf("the class %s is still there", class.GetName())
	}
	if bed.Find(daemonSets, ns, "trainyard-cache-"+ns) != nil {
		t.Error("the provisioner is still there")
	}
}

// local makes a volume as the provisioner does; with a claim, one that is taken.
func local(t *testing.T, bed *acctest.Bed, name, class, claim string) {
	t.Helper()
	ref := ""
	if claim != "" {
		ref = fmt.Sprintf(", claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: default, name: %s}", claim)
	}
	bed.Make(volumes, "", fmt.Sprintf(`{metadata: {name: %s}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: %s, persistentVolumeReclaimPolicy: Retain,
  local: {path: /mnt/disks/a}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [none]}]}]}} %s}}`, name, class, ref))
	bed.Clean(volumes, "", name)
}

func TestAccClaimedVolumesKeepTheirTier(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	cache := tier(ns, fmt.Sprintf("cache = { namespace = %q }", ns))
	w := bed.Workspace(cache)
	w.Must(w.Apply(), 0)
	local(t, bed, ns+"-free", ns, "")
	for i := range 7 {
		claim := fmt.Sprintf("%s-%d", ns, i)
		local(t, bed, claim, ns, claim)
		bed.Make(kube.PersistentVolumeClaim, "default", fmt.Sprintf(`{metadata: {name: %[1]s}, spec: {accessModes: [ReadWriteOnce], storageClassName: %[2]s, volumeName: %[1]s, resources: {requests: {storage: 1Gi}}}}`, claim, ns))
		bed.Clean(kube.PersistentVolumeClaim, "default", claim)
	}
	refused := []string{"7 volumes of its classes " + ns + " hold data", "PersistentVolumeClaim default/" + ns + "-0", "and 2 more", "delete = { data = true }"}
	has(t, w.Must(w.Destroy(), 1).Text, refused...)

	t.Log("nor is it replaced by another kind of tier")
	w.Write(tier(ns, `shared = { csi = { provisioner = "csi.example.com", classes = { files = {} } } }`))
	has(t, w.Must(w.Apply(), 1).Text, refused...)
	bed.Get(daemonSets, ns, "trainyard-cache-"+ns)

	t.Log("what may be lost is named, and then goes")
	w.Write(tier(ns, fmt.Sprintf("cache = { namespace = %q }", ns), "delete = { data = true }"))
	has(t, w.Must(w.Apply(), 0).Text, "A destroy loses data", "every volume of the StorageClass "+ns)
	w.Must(w.Destroy(), 0)
	bed.Await("the free volume to go", func() bool { return bed.Find(volumes, "", ns+"-free") == nil })
	bed.Get(volumes, "", ns+"-0")
}
