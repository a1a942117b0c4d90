// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpunodes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// fleet is an API server with many nodes and pods, which it lists in pages.
type fleet struct {
	nodes, pods int
	requests    []string
}

func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	f.requests = append(f.requests, fmt.Sprintf("%s labels=%s fields=%s limit=%s", r.URL.Path, query.Get("labelSelector"), query.Get("fieldSelector"), query.Get("limit")))
	count, one := f.nodes, node
	if r.URL.Path == "/api/v1/pods" {
		count, one = f.pods, pod
	}
	limit, _ := strconv.Atoi(query.Get("limit"))
	first, _ := strconv.Atoi(query.Get("continue"))
	list := map[string]any{"apiVersion": "v1", "kind": map[string]string{"/api/v1/nodes": "NodeList", "/api/v1/pods": "PodList"}[r.URL.Path]}
	var items []any
	for i := first; i < min(first+limit, count); i++ {
		items = append(items, one(i))
	}
	metadata := map[string]any{}
	if first+limit < count {
		metadata["continue"] = strconv.Itoa(first + limit)
	}
	list["metadata"], list["items"] = metadata, items
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

func node(i int) any {
	return map[string]any{
		"metadata": map[string]any{"name": fmt.Sprintf("n%05d", i), "labels": map[string]any{"trainyard.io/pool": fmt.Sprintf("p%d", i%2), "nvidia.com/gpu.product": "H100"}},
		"status": map[string]any{
			"allocatable": map[string]any{"cpu": "100", "memory": "1Ti", "nvidia.com/gpu": "8", "pods": "110"},
			"conditions":  []any{map[string]any{"type": "Ready", "status": "True"}},
		},
	}
}

// pod holds two GPUs of the node with its number.
func pod(i int) any {
	return map[string]any{
		"metadata": map[string]any{"name": fmt.Sprintf("pod%05d", i), "namespace": "default"},
		"spec": map[string]any{
			"nodeName":   fmt.Sprintf("n%05d", i),
			"containers": []any{map[string]any{"name": "c", "resources": map[string]any{"requests": map[string]any{"cpu": "1", "nvidia.com/gpu": "2"}}}},
		},
		"status": map[string]any{"phase": "Running"},
	}
}

func readFleet(t *testing.T, f *fleet, m *Model) {
	t.Helper()
	server := httptest.NewServer(f)
	defer server.Close()
	cluster, err := kube.Connect(kube.Connection{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	violations, diags, err := read(t.Context(), cluster, m)
	if err != nil || diags.HasError() || len(violations) > 0 {
		t.Fatal(err, diags, violations)
	}
}

func TestALargeFleetTakesFewRequests(t *testing.T) {
	f := &fleet{nodes: 5000, pods: 7000}
	m := &Model{Selector: types.MapNull(types.StringType), Resources: types.ListNull(types.StringType)}
	readFleet(t, f, m)
	if len(f.requests) > 25 {
		t.Errorf("%d requests", len(f.requests))
	}
	want := map[string]string{"cpu": "500k", "memory": "5000Ti", "nvidia.com/gpu": "40000"}
	if diff := cmp.Diff(want, m.Allocatable); diff != "" {
		t.Errorf("allocatable (-want +got):\n%s", diff)
	}
	// Two thousand pods are on nodes that are not there any more.
	if diff := cmp.Diff(map[string]string{"cpu": "5k", "memory": "0", "nvidia.com/gpu": "10000"}, m.Allocated); diff != "" {
		t.Errorf("allocated (-want +got):\n%s", diff)
	}
	if len(m.Nodes) != 5000 || m.ByPool["p1"].Free["nvidia.com/gpu"] != 2500*6 {
		t.Errorf("%d nodes, pool %+v", len(m.Nodes), m.ByPool["p1"])
	}
}

func TestWhatIsAskedFor(t *testing.T) {
	f := &fleet{nodes: 1, pods: 1}
	m := &Model{
		Selector:  types.MapValueMust(types.StringType, map[string]attr.Value{"b": types.StringValue("2"), "a": types.StringValue("1")}),
		Resources: types.ListNull(types.StringType),
	}
	readFleet(t, f, m)
	want := []string{
		"/api/v1/nodes labels=a=1,b=2 fields= limit=500",
		"/api/v1/pods labels= fields=spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed limit=500",
	}
	if diff := cmp.Diff(want, f.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestNoNodesAtAllIsNoError(t *testing.T) {
	f := &fleet{}
	m := &Model{Selector: types.MapNull(types.StringType), Resources: types.ListNull(types.StringType)}
	readFleet(t, f, m)
	if len(f.requests) != 1 || m.Nodes == nil || m.ByPool == nil || m.Allocatable == nil || len(m.Nodes) > 0 {
		t.Errorf("%d requests, %+v", len(f.requests), m)
	}
}

func TestASelectorThatIsNone(t *testing.T) {
	_, violations := queryOf(map[string]string{"pool": "a,b in (c)"})
	if len(violations) != 1 || violations[0].Path.String() != "selector" {
		t.Errorf("violations: %v", violations)
	}
}

func TestResourcePattern(t *testing.T) {
	for name, want := range map[string]bool{
		"example.com/npu": true, "example.com/npu-*": true, "nvidia.com/mig-1g.10gb": true, "huawei.com/Ascend910": true,
		"cpu": false, "*": false, "example.com/": false, "example.com/*": false, "*/npu": false, "example.com/n*u": false, "": false,
	} {
		if got := resourcePattern.MatchString(name); got != want {
			t.Errorf("%q matches: %t", name, got)
		}
	}
}
