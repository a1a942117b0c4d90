// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/s3bed"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

func TestAccServersThatAreInstalledReadTheirKeysFromOurSecret(t *testing.T) {
	bed := acctest.New(t)
	for backend, key := range map[string]string{"minio": "rootPassword", "seaweedfs": "seaweedfs_s3_config"} {
		ns := space(t, bed)
		f := newFront(t) // stands in for the server that the chart's stand-in does not run
		w := bed.Workspace(tier(ns, fmt.Sprintf(`object = {
    backend       = %q
    endpoint      = %q
    namespace     = %q
    access_key    = %q
    secret_key_wo = %q
    server        = { chart = { path = %q } }
    buckets       = { logs = {} }
  }`, backend, f.URL, ns, s3bed.AccessKey, s3bed.SecretKey, chart(t, "s3-server"))))
		has(t, w.Must(w.Plan(), acctest.Changes).Text, "create ConfigMap "+ns+"/given", "bucket logs: create")
		w.Must(w.Apply(), 0)
		w.Settled()
		if name, _, _ := unstructured.NestedString(bed.Get(acctest.ConfigMap, ns, "given").Object, "data", backend); name != ns+"-s3" {
			t.Errorf("%s reads the Secret %q", backend, name)
		}
		encoded, _, _ := unstructured.NestedString(bed.Get(secrets, ns, ns+"-s3").Object, "data", key)
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		has(t, string(text), s3bed.SecretKey)
		t.Log("a server that would move is a new tier, and objects keep the old one")
		if err := os.WriteFile(filepath.Join(f.Folder, "logs", "sample"), []byte("data"), 0o600); err != nil {
			t.Fatal(err)
		}
		config := w.Config()
		w.Write(strings.Replace(config, fmt.Sprintf("namespace     = %q", ns), fmt.Sprintf("namespace     = %q", ns+"-b"), 1))
		has(t, w.Must(w.Apply(), 1).Text, "must be replaced", "is not empty: it holds 1 object")
		if err := os.Remove(filepath.Join(f.Folder, "logs", "sample")); err != nil {
			t.Fatal(err)
		}
		w.Write(config)
		w.Settled()
		w.Must(w.Destroy(), 0)
		if left, _ := os.ReadDir(f.Folder); len(left) > 0 {
			t.Errorf("there is left: %v", left)
		}
	}
}

func TestAccBucketsOfCephHaveAnAccountOfTheirOwn(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	f := newFront(t)
	definitions := acctest.Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false)
	const users = "cephobjectstoreusers." + cephGroup
	bed.Delete(definitions, "", users)
	bed.Make(definitions, "", fmt.Sprintf(`{metadata: {name: %s}, spec: {group: %s, scope: Namespaced,
  names: {kind: CephObjectStoreUser, listKind: CephObjectStoreUserList, plural: cephobjectstoreusers, singular: cephobjectstoreuser},
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, users, cephGroup))
	bed.Clean(definitions, "", users)
	bed.Make(kube.Namespace, "", fmt.Sprintf(`{metadata: {name: %s}}`, ns))
	w := bed.Workspace(tier(ns, fmt.Sprintf(`object = {
    backend  = "ceph"
    endpoint = %q
    rook     = { namespace = %q, store = "shared-store" }
    buckets  = { logs = {} }
  }`, f.URL, ns), `timeouts = { create = "10s" }`))
	has(t, w.Must(w.Apply(), 0).Text, "is not ready", "object-user", "the Secret with the keys of the S3 server is not there: "+ns+"/rook-ceph-object-user-shared-store-trainyard-"+ns, "buckets: waits for object-user")

	t.Log("once Rook has answered with a Secret, the next apply goes on")
	bed.Make(secrets, ns, fmt.Sprintf(`{metadata: {name: rook-ceph-object-user-shared-store-trainyard-%s}, stringData: {AccessKey: %s, SecretKey: %s}}`, ns, s3bed.AccessKey, s3bed.SecretKey))
	w.Must(w.Apply(), 0)
	w.Settled()
	user := bed.Get(acctest.Kind(cephGroup, "v1", "CephObjectStoreUser", "cephobjectstoreusers", true), ns, "trainyard-"+ns)
	if store, _, _ := unstructured.NestedString(user.Object, "spec", "store"); store != "shared-store" {
		t.Errorf("the account is on %q", store)
	}
	w.Must(w.Destroy(), 0)
}
