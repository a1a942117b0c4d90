// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

// nowhere is where no pod can be scheduled; brief bounds the wait for it.
const (
	nowhere = `values = { volume = true, nodeSelector = { nowhere = "x" } }`
	brief   = "\n  timeouts = { create = \"6s\", update = \"6s\", delete = \"30s\" }\n"
)

// everything is the chart "basic" with a definition in it.
func (s *stage) everything() string {
	chart := s.chart("basic")
	if err := os.CopyFS(filepath.Join(chart, "crds"), os.DirFS(filepath.Join(s.chart("defining"), "crds"))); err != nil {
		s.t.Fatal(err)
	}
	return chart
}

// unready applies what fails: the run ends well, and the state says what is wrong.
func (w run) unready(t *testing.T, why ...string) {
	t.Helper()
	result := w.Must(w.Apply(), 0)
	has(t, result.Text, append(why, fmt.Sprintf("Component %q is not ready", w.ns+"/app"), "Nothing was lost")...)
	if w.ready() {
		t.Error("the state says that it is ready")
	}
	has(t, fmt.Sprint(w.attributes()["status"]), why...)
}

func TestAccFailedInstallationIsKeptAndRepairedInPlace(t *testing.T) {
	s := prepare(t)
	chart := s.everything()
	w := s.workspace(s.component(chart, nowhere+brief))
	w.unready(t, "Deployment "+s.ns+"/app", "Unschedulable")
	claim, defined := s.uid(volume, s.ns, "app"), s.uid(definition, "", s.widgets())
	w.unready(t, "Unschedulable") // it goes on trying, in place
	w.Write(s.component(chart, `values = { volume = true }`))
	w.planned()
	w.settle()
	if claim != s.uid(volume, s.ns, "app") || defined != s.uid(definition, "", s.widgets()) {
		t.Error("the claim or the definition was made anew")
	}
	if diff := cmp.Diff([]string{"sh.helm.release.v1.app.v1 failed", "sh.helm.release.v1.app.v2 failed", "sh.helm.release.v1.app.v3 deployed"}, s.records()); diff != "" {
		t.Errorf("Helm's records (-want +got):\n%s", diff)
	}
	w.Must(w.Destroy(), 0)
}

func TestAccObjectThatIsRefusedDuringAnInstallation(t *testing.T) {
	s := prepare(t)
	var frozen, plans atomic.Bool // plans: rehearsals are refused, too
	s.Webhook(s.owner, func(r acctest.Review) acctest.Verdict {
		if frozen.Load() && (plans.Load() || !r.DryRun) {
			return acctest.Verdict{Deny: "deployments are frozen"}
		}
		return acctest.Verdict{}
	}, deployment)
	w := s.workspace(s.component(s.chart("basic"), `values = { volume = true }`))
	frozen.Store(true)
	plans.Store(true)
	result := w.Must(w.Plan(), acctest.Failed)
	has(t, result.Text, "Deployment "+s.ns+"/app would be refused", "deployments are frozen")

	plans.Store(false)
	has(t, w.Must(w.Apply(), 0).Text, "is not ready", "deployments are frozen")
	claim := s.uid(volume, s.ns, "app")
	frozen.Store(false)
	w.settle()
	if claim != s.uid(volume, s.ns, "app") {
		t.Error("the claim was made anew")
	}
	w.Must(w.Destroy(), 0)
}

func TestAccFailedUpgradeGoesBackWhereAsked(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	w := s.applied(s.component(chart, "on_failure = \"rollback\"\nvalues = { greeting = \"good\", extra = true }"))
	w.Write(s.component(chart, "on_failure = \"rollback\"\nvalues = { greeting = \"bad\", nodeSelector = { nowhere = \"x\" }, replicas = 2 }\n  timeouts = { update = \"15s\" }"))
	w.unready(t, "Unschedulable")
	if got := s.Get(acctest.ConfigMap, s.ns, "app").Object["data"].(map[string]any)["greeting"]; got != "good" {
		t.Errorf("the greeting is %q after going back", got)
	}
	s.Get(acctest.ClusterRole, "", s.ns+"-app")
	if diff := cmp.Diff([]string{
		"sh.helm.release.v1.app.v1 superseded", "sh.helm.release.v1.app.v2 failed", "sh.helm.release.v1.app.v3 deployed",
	}, s.records()); diff != "" {
		t.Errorf("Helm's records (-want +got):\n%s", diff)
	}
	w.planned() // what is wanted still does not stand
	w.Write(s.component(chart, `values = { greeting = "better", replicas = 2 }`))
	w.settle()
	w.Must(w.Destroy(), 0)
}

func TestAccFailedHookIsNotReady(t *testing.T) {
	s := prepare(t)
	chart := s.chart("hooked")
	template := filepath.Join(chart, "templates", "all.yaml")
	s.rewrite(template, "backoffLimit: 0", "backoffLimit: 0\n  activeDeadlineSeconds: 1")
	s.rewrite(template, "restartPolicy: Never", "restartPolicy: Never\n      nodeSelector: {nowhere: x}")
	config := func(events string) string { return s.component(chart, fmt.Sprintf("values = { events = %q }", events)) }
	w := s.workspace(config("pre-install"))
	w.unready(t, "pre-install hook app-hook", "Job "+s.ns+"/app-hook failed", "deadline")
	if s.Find(acctest.ConfigMap, s.ns, "app") != nil {
		t.Error("the chart was made in spite of the hook before it")
	}
	w.Write(config("post-install"))
	w.unready(t, "post-install hook app-hook")
	s.Get(acctest.ConfigMap, s.ns, "app")
	s.rewrite(template, "nodeSelector: {nowhere: x}", "nodeSelector: {}")
	s.rewrite(template, "activeDeadlineSeconds: 1", "activeDeadlineSeconds: 60")
	w.Write(s.component(chart, "")) // hooks at every event
	w.settle()
	if s.Find(job, s.ns, "app-hook") != nil {
		t.Error("the hook's Job is still there")
	}
	w.Write(s.component(chart, `values = { image = "registry.example/hook:2" }`))
	w.settle()
	s.rewrite(template, "nodeSelector: {}", "nodeSelector: {nowhere: x}")
	s.rewrite(template, "activeDeadlineSeconds: 60", "activeDeadlineSeconds: 1")
	w.Write(s.component(chart, `values = { events = "pre-delete" }`))
	w.settle()
	has(t, w.Must(w.Destroy(), acctest.Failed).Text, "pre-delete hook app-hook")
	if w.attributes() == nil {
		t.Error("a component whose removal failed left the state")
	}
	w.Write(s.component(chart, `hooks = false`))
	w.settle()
	w.Must(w.Destroy(), 0)
	s.gone(acctest.ConfigMap)
}

func TestAccRemovalThatIsCutOffGoesOn(t *testing.T) {
	s := prepare(t)
	w := s.applied(s.component(s.chart("basic"), brief+"create_namespace = true"))
	hold := func() { s.Edit(acctest.ConfigMap, s.ns, "app", `{"metadata":{"finalizers":["example.com/hold"]}}`) }
	free := func() { s.Edit(acctest.ConfigMap, s.ns, "app", `{"metadata":{"finalizers":null}}`) }
	w.Write(s.component(s.chart("basic"), "timeouts = { delete = \"4s\" }"))
	w.settle()
	hold()
	has(t, w.Must(w.Destroy(), acctest.Failed).Text, `Unable to delete component "`+s.ns+`/app"`, "example.com/hold")
	if w.attributes() == nil || len(s.records()) == 0 {
		t.Fatal("a component whose removal failed left the state or Helm's records")
	}
	has(t, fmt.Sprint(s.records()), "uninstalling")
	free()
	w.settle() // it is wanted again
	s.Get(deployment, s.ns, "app")
	hold()
	w.Must(w.Destroy(), acctest.Failed)
	free()
	w.Must(w.Destroy(), 0)
	s.gone(deployment, service, acctest.ConfigMap)
}
