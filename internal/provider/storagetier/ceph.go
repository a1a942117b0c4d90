// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// operatorName is the Deployment of Rook's operator.
const operatorName = "rook-ceph-operator"

var (
	deploymentKind  = kube.Kind{GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("Deployment"), Resource: "deployments", Namespaced: true, Untyped: true}
	cephClusterKind = kube.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "ceph.rook.io", Version: "v1", Kind: "CephCluster"}, Resource: "cephclusters", Namespaced: true, Untyped: true}
)

// unserved says which kind of Ceph's the API server does not serve. What it serves is remembered,
// and what comes after the operator has to know of its definitions.
func unserved(ctx context.Context, cluster *kube.Cluster) (string, error) {
	for _, kind := range []string{"CephCluster", "CephBlockPool", "CephFilesystem", "CephObjectStore"} {
		_, served, err := cluster.KindFor(ctx, schema.GroupVersionKind{Group: cephClusterKind.Group, Version: cephClusterKind.Version, Kind: kind})
		if err != nil || !served {
			return "the API server does not serve " + kind + "; the definitions of Rook's operator are missing", err
		}
	}
	return "", nil
}

// cephUnready says why a Ceph cluster does not serve yet; "": it does. The chart names it as its
// namespace.
func cephUnready(ctx context.Context, cluster *kube.Cluster, want spec.Ceph) (string, error) {
	live, err := cluster.Whole(ctx, cephClusterKind, want.Namespace, want.Namespace)
	if err != nil {
		return "", err
	}
	if live == nil {
		return fmt.Sprintf("the CephCluster %s/%s is not there", want.Namespace, want.Namespace), nil
	}
	phase, _, _ := unstructured.NestedString(live.Object, "status", "phase")
	message, _, _ := unstructured.NestedString(live.Object, "status", "message")
	if phase == "Ready" || phase == "Connected" { // the latter of one outside
		return "", nil
	}
	return fmt.Sprintf("the CephCluster %s/%s is %q: %s", want.Namespace, want.Namespace, phase, message), nil
}

// operated is a release whose objects an operator has to let go.
type operated struct {
	helm.Part
	namespace string // of the operator
}

// lastLook is how long a removal whose time has run out may take to see how the operator is.
const lastLook = 10 * time.Second

// Remove uninstalls the release; where that does not end, the error says how the operator is.
func (o operated) Remove(ctx context.Context, raw json.RawMessage) ([]string, error) {
	kept, err := o.Part.Remove(ctx, raw)
	if err == nil {
		return kept, nil
	}
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	return kept, fmt.Errorf("%w\n\n%s. Its finalizers are the operator's to take off, and guard the data: bring the operator up and destroy again", err, o.operator(look))
}

// operator says how the operator is.
func (o operated) operator(ctx context.Context) string {
	name := "the operator's Deployment " + o.namespace + "/" + operatorName
	live, err := o.Cluster.Whole(ctx, deploymentKind, o.namespace, operatorName)
	switch {
	case err != nil:
		return fmt.Sprintf("How %s is cannot be read: %v", name, err)
	case live == nil:
		return "There is no " + name[len("the "):]
	}
	wanted, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	ready, _, _ := unstructured.NestedInt64(live.Object, "status", "readyReplicas")
	return fmt.Sprintf("T%s has %d of %d pods ready", name[1:], ready, wanted)
}
