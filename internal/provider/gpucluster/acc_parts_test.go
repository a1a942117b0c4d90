// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func kindOf(group, kind, resource string, namespaced bool) kube.Kind {
	return kube.Kind{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}, Resource: resource, Namespaced: namespaced}
}

var (
	configMaps  = kindOf("", "ConfigMap", "configmaps", true)
	deployments = kindOf("apps", "Deployment", "deployments", true)
	daemonSets  = kindOf("apps", "DaemonSet", "daemonsets", true)

	clusterRoles    = kindOf("rbac.authorization.k8s.io", "ClusterRole", "clusterroles", false)
	clusterBindings = kindOf("rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings", false)
)

// data is one key of a ConfigMap.
func (s *site) data(namespace, name, key string) string {
	s.t.Helper()
	text, _, _ := unstructured.NestedString(s.Get(configMaps, namespace, name).Object, "data", key)
	return text
}

func (s *site) gone(kind kube.Kind, namespace, name string) {
	s.t.Helper()
	if live := s.Find(kind, namespace, name); live != nil {
		s.t.Errorf("%s is still there", objects.Ref(live))
	}
}

// parts are the charts of a cluster, in namespaces of this test.
func (s *site) parts(ns, more string) string {
	standIn := filepath.Join(acctest.Root(s.t), "internal", "tools", "demo", "volcano-standin")
	return fmt.Sprintf(`
  device_plugins = { nvidia = { namespace = %q, chart = { path = %q }, values = { nfd = { enabled = false }, gfd = { enabled = false } } } }
  fabric         = { namespace = %q }
  scheduler      = { namespace = %q, chart = { path = %q } %s }
`, ns, acctest.Chart(s.t, "nvidia-device-plugin"), ns, ns, standIn, more)
}

func TestAccDevicePluginFabricAndScheduler(t *testing.T) {
	s := newSite(t)
	s.node("a", s.group)
	ns := acctest.Name("acc-parts")
	s.Clean(kube.Namespace, "", ns)
	s.Clean(clusterRoles, "", "nvidia-device-plugin-role")
	s.Clean(clusterBindings, "", "nvidia-device-plugin-role-binding")
	cut := pool("cut", s.group, `
      accelerator = "h100"
      fabric      = "infiniband"
      mig         = { profile = "1g.10gb", strategy = "mixed" }
      time_slices = 4`)
	w := s.Workspace(s.config(cut, s.parts(ns, "")))
	text := w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, "create Deployment "+ns+"/volcano-scheduler", "create DaemonSet "+ns+"/rdma-shared-device-plugin", "create ConfigMap "+ns+"/nccl-cut",
		"Nothing here cuts the GPUs")
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, s.data(ns, "nvidia-device-plugin-configs", "cut"), "migStrategy: mixed", "name: nvidia.com/mig-1g.10gb", "replicas: 4")
	has(t, s.data(ns, "volcano-scheduler-configmap", "volcano-scheduler.conf"), "actions: enqueue, allocate, preempt, reclaim, backfill", "name: capacity", "binpack.resources.nvidia.com/gpu: 10")
	has(t, s.data(ns, "nccl-cut", "nccl.conf"), "NCCL_IB_HCA=mlx5")
	has(t, s.data(ns, "rdma-devices", "config.json"), `"resourceName": "infiniband"`)

	t.Log("what somebody changes or deletes in a part is drift of it, and put back")
	s.Edit(configMaps, ns, "volcano-scheduler-configmap", `{"data":{"volcano-scheduler.conf":"actions: allocate"}}`)
	s.Delete(daemonSets, ns, "rdma-shared-device-plugin")
	text = w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, "ConfigMap "+ns+"/volcano-scheduler-configmap: data", "DaemonSet "+ns+"/rdma-shared-device-plugin: deleted")
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, s.data(ns, "volcano-scheduler-configmap", "volcano-scheduler.conf"), "name: capacity")

	t.Log("a part changes alone, and one that is left out goes")
	w.Write(s.config(cut, strings.Replace(s.parts(ns, `, shares = "proportion"`), "fabric ", "#", 1)))
	text = w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, "delete fabric", "change ConfigMap "+ns+"/volcano-scheduler-configmap")
	if strings.Contains(text, "nvidia-device-plugin-configs") {
		t.Errorf("the device plugin changes too: %s", text)
	}
	w.Must(w.Apply(), 0)
	w.Settled()
	s.gone(daemonSets, ns, "rdma-shared-device-plugin")
	s.gone(configMaps, ns, "nccl-cut")

	w.Must(w.Destroy(), 0)
	s.gone(deployments, ns, "volcano-scheduler")
	s.gone(daemonSets, ns, "nvidia-device-plugin")
}

func TestAccAPartThatFailsKeepsTheOthers(t *testing.T) {
	s := newSite(t)
	node := s.node("a", s.group)
	ns := acctest.Name("acc-broken")
	s.Clean(kube.Namespace, "", ns)
	only := func(more string) string {
		return s.config(pool("one", s.group, ""), strings.Replace(s.parts(ns, more), "device_plugins", "#", 1), `timeouts = { create = "20s", update = "60s" }`)
	}
	w := s.Workspace(only(`, values = { custom = { default_node_selector = { there-is = "none" } } }`))
	has(t, w.Must(w.Apply(), 0).Text, "is not ready", "volcano: ", "volcano-scheduler")
	if got := s.labels(node)["trainyard.io/pool"]; got != "one" {
		t.Errorf("the node is in pool %q", got)
	}
	w.Write(only(""))
	w.Must(w.Apply(), 0)
	w.Settled()

	t.Log("what is protected is not destroyed")
	w.Write(strings.Replace(only(""), "deletion_protection = false", "", 1))
	w.Must(w.Apply(), 0)
	has(t, w.Must(w.Destroy(), 1).Text, "is protected from deletion", "deletion_protection = false")
	w.Write(only(""))
	w.Must(w.Apply(), 0)
	w.Must(w.Destroy(), 0)
}
