// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package trainingqueue

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// volcano answers for a queue that a controller sees late, and loses the first commands for.
type volcano struct {
	looks    int
	commands []string // what stood when each came
	names    map[string]bool
}

// state is none at first, then open until the third command.
func (v *volcano) state() string {
	switch {
	case v.looks <= 2:
		return ""
	case len(v.commands) < 3:
		return objects.QueueOpen
	}
	return objects.QueueClosed
}

func (v *volcano) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		v.looks++
		fmt.Fprintf(w, `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q","uid":"u"},"status":{"state":%q}}`, v.state())
		return
	}
	body, _ := io.ReadAll(r.Body)
	v.names[string(body)] = true
	v.commands = append(v.commands, v.state())
	if len(v.commands) == 2 { // the one before still waits
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists","code":409,"message":"it exists"}`)
		return
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body)
}

// A command goes out once the queue has a state, and again where it shows no effect, under one name.
func TestACommandThatIsLostIsGivenAgain(t *testing.T) {
	v := &volcano{names: map[string]bool{}}
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	cluster, err := kube.Connect(kube.Connection{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	queue := &objects.Object{Object: map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": map[string]any{"name": "q", "uid": "u"},
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := command(ctx, cluster, queue, closeQueue); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{objects.QueueOpen, objects.QueueOpen, objects.QueueOpen}, v.commands); diff != "" || len(v.names) != 1 {
		t.Errorf("%d different commands; the queue when they came (-want +got):\n%s", len(v.names), diff)
	}
	for body := range v.names {
		if !strings.Contains(body, "trainyard-closequeue-u") {
			t.Errorf("the command has no name of its own: %s", body)
		}
	}
}
