// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Many releases with a long history each.
const (
	releases  = 20
	revisions = 50
)

// many is a configuration of releases of one chart, named app-0, app-1, ...
func (s *stage) many(chart string) string {
	return acctest.Owned(s.owner) + fmt.Sprintf(`
resource "trainyard_component" "this" {
  count         = %d
  name          = "app-${count.index}"
  namespace     = %q
  chart         = { path = %q }
  values        = { replicas = 1 }
  history_limit = 100
}
`, releases, s.ns, chart)
}

// TestAccManyReleasesAtOnce installs many releases at once. What a plan of them asks the API
// server for grows neither with their number nor with that of their revisions.
func TestAccManyReleasesAtOnce(t *testing.T) {
	s := prepare(t)
	// Writes that count against one quota conflict with each other.
	s.Make(kube.ResourceQuota, s.ns, "{metadata: {name: all}, spec: {hard: {count/configmaps: 500, count/services: 500, count/serviceaccounts: 500, count/secrets: 5000}}}")
	proxy := faultproxy.Start(t, s.Config)
	w := run{s.Bed.Workspace(s.many(s.chart("basic"))).Through(proxy), s}
	w.Must(w.Run("apply", "-auto-approve", "-parallelism=50"), 0)
	s.age(t)
	proxy.Reset()
	w.Must(w.Run("plan", "-detailed-exitcode", "-parallelism=50"), acctest.Empty)
	want := map[string]int{
		"get namespaces": 1, "list secrets": 1, // the cluster's identity, and Helm's records
		"list serviceaccounts": 1, "list configmaps": 1, "list services": 1, "list deployments": 1,
	}
	if diff := cmp.Diff(want, proxy.Counts()); diff != "" {
		t.Errorf("requests of a plan without changes (-want +got):\n%s", diff)
	}
	w.Must(w.Run("destroy", "-auto-approve", "-parallelism=50"), 0)
	s.nothingLeft()
}

// age gives every release of the stage a history of superseded revisions: copies of its record.
func (s *stage) age(t *testing.T) {
	t.Helper()
	all := s.Client().Resource(secret.GroupVersion().WithResource(secret.Resource)).Namespace(s.ns)
	var group errgroup.Group
	group.SetLimit(16)
	for _, record := range s.List(secret, "owner=helm,status=deployed") {
		if record.GetNamespace() != s.ns {
			continue
		}
		for revision := 1; revision < revisions; revision++ {
			old := objects.Fresh(&record)
			old.SetName(strings.TrimSuffix(record.GetName(), "v1") + fmt.Sprintf("v%d", revision+1))
			labels := maps.Clone(record.GetLabels())
			labels["status"], labels["version"] = "superseded", fmt.Sprint(revision+1)
			old.SetLabels(labels)
			group.Go(func() error {
				_, err := all.Create(context.WithoutCancel(t.Context()), old, metav1.CreateOptions{})
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestAccWritesThatCollideInAQuota answers writes as the API server does where several count
// themselves in one quota at the same moment, which does not happen on demand.
func TestAccWritesThatCollideInAQuota(t *testing.T) {
	s := prepare(t)
	proxy := faultproxy.Start(t, s.Config)
	w := run{s.Bed.Workspace(s.component(s.chart("basic"), "")).Through(proxy), s}
	const collisions = 3
	collide := proxy.Inject(faultproxy.Fault{Kind: faultproxy.QuotaConflict, Verb: "apply", Path: "/configmaps/", Times: collisions})
	w.Must(w.Apply(), 0)
	if got := proxy.Hits(collide); got != collisions {
		t.Errorf("%d collisions, want %d", got, collisions)
	}
	w.Settled()
	w.Must(w.Destroy(), 0)
}

// TestAccInstallationAsksLittle bounds what an installation costs beside the rehearsals and writes
// of its own objects and the waits for them.
func TestAccInstallationAsksLittle(t *testing.T) {
	s := prepare(t)
	proxy := faultproxy.Start(t, s.Config)
	w := run{s.Bed.Workspace(s.component(s.chart("basic"), "")).Through(proxy), s}
	w.Must(w.Run("plan", "-out=saved"), 0)
	proxy.Reset()
	w.Must(w.Run("apply", "saved"), 0)
	counts := proxy.Counts()
	for _, own := range []string{"serviceaccounts", "configmaps", "services", "deployments"} {
		for _, verb := range []string{"rehearse ", "apply "} { // Terraform plans once more while it applies
			if counts[verb+own] != 1 {
				t.Errorf("an installation makes %d times %q", counts[verb+own], verb+own)
			}
			delete(counts, verb+own)
		}
	}
	for _, wait := range []string{"list deployments", "list pods"} {
		delete(counts, wait)
	}
	want := map[string]int{
		"get namespaces": 1, "get /version": 1, "get /api": 1, "get /apis": 1, "list secrets": 1, "create secrets": 1, "update secrets": 1,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("requests of an installation beside its own (-want +got):\n%s", diff)
	}
	w.Must(w.Destroy(), 0)
}
