// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// serve answers lists of pods and claims with these, as an API server that applied the
// field selector.
func serve(t *testing.T, pods, claims []map[string]any) *kube.Cluster {
	t.Helper()
	answer := func(kind string, items []map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if want := objects.UnfinishedPods; kind == "PodList" && r.URL.Query().Get("fieldSelector") != want {
				t.Errorf("pods are listed by %q, want %q", r.URL.Query().Get("fieldSelector"), want)
			}
			w.Header().Set("Content-Type", "application/json")
			if err := json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{}, "items": items}); err != nil {
				t.Error(err)
			}
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /api/v1/namespaces/team-vision/pods", answer("PodList", pods))
	mux.Handle("GET /api/v1/namespaces/team-vision/persistentvolumeclaims", answer("PersistentVolumeClaimList", claims))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	cluster, err := kube.Connect(kube.Connection{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func named(name, phase string) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name, "namespace": "team-vision"}, "status": map[string]any{"phase": phase}}
}

func leaving(name string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": name, "namespace": "team-vision", "deletionTimestamp": "2026-11-30T18:00:00Z"},
		"status":   map[string]any{"phase": "Running"},
	}
}

func many(count int) []map[string]any {
	var list []map[string]any
	for i := range count {
		list = append(list, named(fmt.Sprintf("worker-%02d", i), "Running"))
	}
	return list
}

func TestTeamIsDeletedOnlyWhereNothingIsLostOrItIsAllowed(t *testing.T) {
	for _, c := range []struct {
		name           string
		pods, claims   []map[string]any
		ending, losing bool
		want           string
	}{
		{name: "an empty namespace"},
		{
			name: "pods that run", pods: []map[string]any{named("b", "Pending"), named("a", "Running")},
			want: "the namespace holds pods that have not finished: a, b\n\nDelete them, or set delete_running_pods = true, apply, and delete the team then; they go with it",
		},
		{
			name: "more pods than an error can name", pods: many(12),
			want: "worker-08, worker-09 and 2 more",
		},
		{name: "pods that run, allowed", pods: many(1), ending: true},
		{name: "pods on their way out", pods: []map[string]any{leaving("a")}},
		{
			name: "claims with data", claims: []map[string]any{named("unbound", "Pending"), named("checkpoints", "Bound")},
			want: "the namespace holds claims bound to volumes: checkpoints\n\nDelete them, or set delete_bound_volumes = true, apply, and delete the team then; they go with it",
		},
		{name: "claims with data, allowed", claims: []map[string]any{named("checkpoints", "Bound")}, losing: true},
		{
			name: "that pods may be ended does not allow to lose data", ending: true,
			pods: many(1), claims: []map[string]any{named("checkpoints", "Bound")}, want: "claims bound to volumes: checkpoints",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := everyPart(t)
			m.DeleteRunningPods, m.DeleteBoundVolumes = types.BoolValue(c.ending), types.BoolValue(c.losing)
			err := vacate(t.Context(), serve(t, c.pods, c.claims), &m)
			switch {
			case err == nil && c.want != "":
				t.Errorf("the team may be deleted, want %q", c.want)
			case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
				t.Errorf("vacate says %q, want %q", err, c.want)
			}
		})
	}
}
