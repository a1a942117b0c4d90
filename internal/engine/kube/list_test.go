// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// pages serves the nodes a, b and c one at a time; the page that expires is answered with
// 410 as often as it says.
func pages(t *testing.T, expires int) (cluster *Cluster, requests *int) {
	t.Helper()
	next, served := map[string][2]string{"": {"a", "b"}, "b": {"b", "c"}, "c": {"c", ""}}, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served++
		w.Header().Set("Content-Type", "application/json")
		token := r.URL.Query().Get("continue")
		if token == "c" && expires > 0 {
			expires--
			w.WriteHeader(http.StatusGone)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"the continue parameter is too old"}`)
			return
		}
		fmt.Fprintf(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":%q},"items":[{"metadata":{"name":%q}}]}`, next[token][1], next[token][0])
	}))
	t.Cleanup(server.Close)
	cluster, err := Connect(Connection{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return cluster, &served
}

func names(node *corev1.Node) (string, bool) { return node.Name, node.Name != "b" }

func TestReadKeepsWhatIsWantedOfEveryPage(t *testing.T) {
	cluster, requests := pages(t, 0)
	got, err := Read(t.Context(), cluster, Node, Query{}, names)
	if diff := cmp.Diff([]string{"a", "c"}, got); err != nil || diff != "" || *requests != 3 {
		t.Errorf("%d requests, err %v, kept (-want +got):\n%s", *requests, err, diff)
	}
}

func TestAListThatExpiresStartsAgainAndCountsNothingTwice(t *testing.T) {
	cluster, requests := pages(t, 2)
	got, err := Read(t.Context(), cluster, Node, Query{}, names)
	if diff := cmp.Diff([]string{"a", "c"}, got); err != nil || diff != "" || *requests != 9 {
		t.Errorf("%d requests, err %v, kept (-want +got):\n%s", *requests, err, diff)
	}
}

func TestAListThatExpiresForEverIsAnError(t *testing.T) {
	cluster, requests := pages(t, 1000)
	got, err := Read(t.Context(), cluster, Node, Query{}, names)
	if err == nil || got != nil || *requests > 3*(mostRestarts+1) {
		t.Errorf("%d requests, err %v, kept %v", *requests, err, got)
	}
}

func TestAnAnswerOfAnotherKindIsAnError(t *testing.T) {
	cluster, _ := pages(t, 0)
	_, err := Read(t.Context(), cluster, Node, Query{}, func(pod *corev1.Pod) (string, bool) { return pod.Name, true })
	if err == nil {
		t.Error("nodes were taken for pods")
	}
}
