// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

func TestAccWhatOthersWriteIsNoDrift(t *testing.T) {
	s := prepare(t)
	w := s.applied(s.component(s.chart("basic"), `values = { replicas = 2 }`))
	for name, edit := range map[string]func(){
		"an annotation": func() { s.Edit(deployment, s.ns, "app", `{"metadata":{"annotations":{"example.com/seen":"yes"}}}`) },
		"a label":       func() { s.Edit(service, s.ns, "app", `{"metadata":{"labels":{"example.com/team":"a"}}}`) },
		"a field that the chart leaves open": func() {
			s.Edit(deployment, s.ns, "app", `{"spec":{"revisionHistoryLimit":3,"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"now"}}}}}`)
		},
		"a status": func() { s.status(deployment, "app", `{"status":{"collisionCount":3}}`) },
		"a key":    func() { s.Edit(acctest.ConfigMap, s.ns, "app", `{"data":{"more":"of others"}}`) },
	} {
		edit()
		if result := w.Plan(); result.Code != acctest.Empty {
			t.Errorf("%s: the plan is not empty: %s", name, result.Text)
		}
	}
	w.Must(w.Destroy(), 0)
}

func TestAccAutoscalerKeepsItsReplicas(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	w := s.applied(s.component(chart, `values = { autoscale = true }`))
	replicas := func() int64 {
		n, _, _ := unstructured.NestedInt64(s.Get(deployment, s.ns, "app").Object, "spec", "replicas")
		return n
	}
	s.Await("the autoscaler to scale", func() bool { return replicas() == 3 })
	w.Settled()
	w.Write(s.component(chart, `values = { autoscale = true, greeting = "moin" }`))
	w.plans("update", `change ConfigMap `+s.ns+`/app: data.greeting: "hello" -> "moin"`)
	w.settle()
	if replicas() != 3 {
		t.Errorf("an upgrade took the replicas back to %d", replicas())
	}
	s.Edit(deployment, s.ns, "app", `{"spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}}`)
	s.Edit(acctest.ConfigMap, s.ns, "app", `{"data":{"greeting":"bye"}}`)
	has(t, fmt.Sprint(w.planned().Before["drift"]), "data.greeting")
	w.settle()
	if replicas() != 3 {
		t.Errorf("a repair took the replicas back to %d", replicas())
	}
	w.Must(w.Destroy(), 0)
}

func TestAccMutatingWebhookMakesNoDrift(t *testing.T) {
	s := prepare(t)
	s.mutates(s.owner, `[{"op":"add","path":"/metadata/annotations/example.com~1injected","value":"yes"},
  {"op":"replace","path":"/spec/template/spec/containers/0/image","value":"mirror.example/serve:1"}]`, deployment)
	w := s.applied(s.component(s.chart("basic"), ""))
	containers, _, _ := unstructured.NestedSlice(s.Get(deployment, s.ns, "app").Object, "spec", "template", "spec", "containers")
	if image := containers[0].(map[string]any)["image"]; image != "mirror.example/serve:1" {
		t.Fatalf("the webhook did nothing: %v", image)
	}
	s.Edit(deployment, s.ns, "app", `{"spec":{"replicas":5}}`)
	w.drifts(t, "1", `^Deployment `+s.ns+`/app: spec.replicas: 1 -> 5`)
	w.Must(w.Destroy(), 0)
}
