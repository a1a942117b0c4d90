// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

// showsDrift compares the drift that a plan begins with, line by line, with regular expressions.
func (w run) showsDrift(t *testing.T, c change, lines ...string) {
	t.Helper()
	drift, _ := c.Before["drift"].([]any)
	if len(drift) != len(lines) {
		t.Errorf("drift is %q, want lines like %q", drift, lines)
		return
	}
	for i, line := range drift {
		if !regexp.MustCompile(lines[i]).MatchString(fmt.Sprint(line)) {
			t.Errorf("drift says %q, want it like %q", line, lines[i])
		}
	}
	if after := c.lines("drift"); len(after) > 0 {
		t.Errorf("the plan leaves drift: %q", after)
	}
}

func TestAccHandEditsAreDriftAndRepairedInPlace(t *testing.T) {
	s := prepare(t)
	w := s.applied(s.component(s.chart("basic"), `values = { replicas = 2, password = "first" }`))

	s.Edit(acctest.ConfigMap, s.ns, "app", `{"data":{"greeting":"bye"}}`)
	w.drifts(t, "1", `^ConfigMap `+s.ns+`/app: data.greeting: "hello" -> "bye".*by kubectl-edit`)

	s.Edit(deployment, s.ns, "app", `{"spec":{"template":{"spec":{"containers":[{"name":"serve","image":"registry.example/serve:2"}]}}}}`)
	got := w.planned()
	has(t, fmt.Sprint(got.Before["drift"]), `containers[0].image`, `"registry.example/serve:1" -> "registry.example/serve:2"`)
	w.settle()

	s.Delete(service, s.ns, "app")
	w.drifts(t, "1", "^Service "+s.ns+"/app: deleted$")

	s.Edit(secret, s.ns, "app", `{"data":{"password":"c2Vjb25k"}}`)
	got = w.planned()
	w.showsDrift(t, got, `^Secret `+s.ns+`/app: data.password: .*sensitive`)
	if text := fmt.Sprint(got); strings.Contains(text, "c2Vjb25k") {
		t.Errorf("the plan shows the Secret: %s", text)
	}
	w.settle()

	s.Edit(account, s.ns, "app", `{"metadata":{"labels":{"trainyard.io/owner":null}}}`)
	w.drifts(t, "1", `^ServiceAccount `+s.ns+`/app: metadata.labels\["trainyard.io/owner"\]: "`+s.owner)

	s.Edit(deployment, s.ns, "app", `{"spec":{"replicas":5}}`)
	w.drifts(t, "1", `^Deployment `+s.ns+`/app: spec.replicas: 2 -> 5`)
	s.scale("app", 4)
	w.drifts(t, "1", `^Deployment `+s.ns+`/app: spec.replicas: 2 -> 4`)
	w.Must(w.Destroy(), 0)
}

func TestAccDefinitionRemovedByHandComesBack(t *testing.T) {
	s := prepare(t)
	w := s.applied(s.component(s.chart("defining"), `values = { size = 3 }`))
	s.Delete(definition, "", s.widgets())
	w.drifts(t, "1", "^CustomResourceDefinition "+s.widgets()+": deleted$", "^Widget "+s.ns+"/app: deleted$")
	w.Must(w.Destroy(), 0)
}

func TestAccWhatTheHelmCommandDoesIsDrift(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	w := s.applied(s.component(chart, `values = { greeting = "one" }`))
	w.Write(s.component(chart, `values = { greeting = "two" }`))
	w.settle()
	greeting := func(want string) {
		t.Helper()
		if got := s.Get(acctest.ConfigMap, s.ns, "app").Object["data"].(map[string]any)["greeting"]; got != want {
			t.Errorf("the greeting is %q, want %q", got, want)
		}
	}
	s.helm("rollback", "app", "1")
	greeting("one")
	got := w.planned()
	has(t, fmt.Sprint(got.Before["drift"]), "revision: 2 -> 3 (deployed), by the helm command", `data.greeting: "two" -> "one"`)
	w.settle()
	greeting("two")
	if w.revision() != "4" {
		t.Errorf("revision %s, want 4", w.revision())
	}

	s.helm("upgrade", "app", chart, "--set", "greeting=three")
	has(t, fmt.Sprint(w.planned().Before["drift"]), "revision: 4 -> 5 (deployed), by the helm command", `data.greeting: "two" -> "three"`)
	w.settle()
	greeting("two")

	s.helm("uninstall", "app", "--wait")
	w.plans("create", "create ServiceAccount "+s.ns+"/app", "create ConfigMap "+s.ns+"/app", "create Service "+s.ns+"/app", "create Deployment "+s.ns+"/app")
	w.settle()
	greeting("two")

	s.helm("uninstall", "app", "--wait", "--keep-history")
	w.planned()
	w.settle()
	greeting("two")
	s.helm("upgrade", "app", chart) // Helm works on what we made
	w.settle()
	greeting("two")
	w.Must(w.Destroy(), 0)
	s.gone(deployment, service)
}
