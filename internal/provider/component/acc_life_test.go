// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

func TestAccComponentLivesAndDies(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	w := s.workspace(s.component(chart, `values = { replicas = 2, extra = true }`))
	w.plans("create",
		"create ServiceAccount "+s.ns+"/app", "create ConfigMap "+s.ns+"/app", "create ClusterRole "+s.ns+"-app",
		"create Service "+s.ns+"/app", "create Deployment "+s.ns+"/app")
	w.settle()
	if !w.ready() || w.revision() != "1" {
		t.Errorf("ready is %v, revision %s", w.ready(), w.revision())
	}
	if diff := cmp.Diff([]any{"registry.example/serve:1"}, w.attributes()["images"]); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
	w.Write(s.component(chart, `values = { replicas = 2, greeting = "moin" }`))
	w.plans("update",
		`change ConfigMap `+s.ns+`/app: data.greeting: "hello" -> "moin"`,
		"delete ClusterRole "+s.ns+"-app")
	w.settle()
	w.Must(w.Destroy(), 0)
	s.gone(deployment, service, account, acctest.ConfigMap)
	if s.Find(acctest.ClusterRole, "", s.ns+"-app") != nil {
		t.Error("the ClusterRole is still there")
	}
}

// gone fails the test where the release left an object of one of these kinds, or its records.
func (s *stage) gone(kinds ...kube.Kind) {
	s.t.Helper()
	for _, kind := range kinds {
		if s.Find(kind, s.ns, "app") != nil {
			s.t.Errorf("the %s is still there", kind)
		}
	}
	if left := s.records(); len(left) > 0 {
		s.t.Errorf("Helm's records are still there: %v", left)
	}
}

// records are the Secrets in which Helm keeps the stage's release, by name.
func (s *stage) records() (names []string) {
	s.t.Helper()
	for _, object := range s.List(secret, "owner=helm,name=app") {
		if object.GetNamespace() == s.ns {
			names = append(names, object.GetName()+" "+object.GetLabels()["status"])
		}
	}
	slices.Sort(names)
	return names
}

func TestAccChartThatChangesIsUpgraded(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	w := s.applied(s.component(chart, ""))
	s.rewrite(filepath.Join(chart, "Chart.yaml"), "version: 1.0.0", "version: 1.1.0")
	s.rewrite(filepath.Join(chart, "templates", "all.yaml"), "port: 80", "port: 81")
	w.plans("update", "change Service "+s.ns+"/app: spec.ports[0].port: 80 -> 81", "change Service "+s.ns+"/app: spec.ports[0].targetPort: 80 -> 81")
	w.settle()
	if got := w.attributes()["chart_version"]; got != "1.1.0" || w.revision() != "2" {
		t.Errorf("chart version %v, revision %s", got, w.revision())
	}
	w.Must(w.Destroy(), 0)
}

func TestAccHistoryIsBounded(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	w := s.workspace("")
	for _, greeting := range []string{"one", "two", "three", "four"} {
		w.Write(s.component(chart, `
  history_limit = 2
  values_yaml   = ["{greeting: from yaml, replicas: 2}", "{greeting: from more yaml}"]
  values        = { greeting = "`+greeting+`" }`))
		w.settle()
	}
	if diff := cmp.Diff([]string{"sh.helm.release.v1.app.v3 superseded", "sh.helm.release.v1.app.v4 deployed"}, s.records()); diff != "" {
		t.Errorf("Helm's records (-want +got):\n%s", diff)
	}
	if got := s.Get(acctest.ConfigMap, s.ns, "app").Object["data"]; !cmp.Equal(got, map[string]any{"greeting": "four"}) {
		t.Errorf("the values of HCL did not win: %v", got)
	}
	w.Must(w.Destroy(), 0)
}

func TestAccVolumesAndDefinitionsStayUnlessNamed(t *testing.T) {
	s := prepare(t)
	basic, defining := s.chart("basic"), s.chart("defining")
	w := s.applied(s.component(basic, `values = { volume = true }`))
	w2 := s.applied(s.other(defining, ""))
	claim, defined := s.uid(volume, s.ns, "app"), s.uid(definition, "", s.widgets())

	has(t, w.Must(w.Destroy(), 0).Text, "PersistentVolumeClaim "+s.ns+"/app: it holds data")
	has(t, w2.Must(w2.Destroy(), 0).Text, s.widgets()+": every object of its kind would go with it")
	s.gone(deployment)
	w.settle()
	w2.settle()
	if claim != s.uid(volume, s.ns, "app") || defined != s.uid(definition, "", s.widgets()) {
		t.Error("the claim or the definition is not the one that it was")
	}

	w.Write(s.component(basic, `values = { volume = true }`+"\n  delete = { volumes = true }"))
	w2.Write(s.other(defining, `delete = { crds = true }`))
	w.settle()
	w2.settle()
	w.Must(w.Destroy(), 0)
	w2.Must(w2.Destroy(), 0)
	s.gone(volume)
	if s.Find(definition, "", s.widgets()) != nil {
		t.Error("the definition is still there")
	}
}

func TestAccReleaseOfOursIsImported(t *testing.T) {
	s := prepare(t)
	config := s.component(s.chart("basic"), `values = { replicas = 2, nodeSelector = { "kubernetes.io/os" = "linux" } }`)
	w := s.applied(config)
	other := s.workspace(config)
	other.Must(other.Run("import", "trainyard_component.this", s.ns+"/app"), 0)
	other.settle()
	w.settle()

	p := acctest.NewProtocol(t)
	p.Configure(fmt.Sprintf(`{"cluster":{"kubeconfig_path":%q}}`, s.Kubeconfig))
	attributes, identity := p.ImportIdentified("trainyard_component", fmt.Sprintf(`{"namespace":%q,"name":"app"}`, s.ns))
	for name, value := range map[string]tftypes.Value{"namespace": identity["namespace"], "chart_version": attributes["chart_version"]} {
		var got string
		if err := value.As(&got); err != nil || (got != s.ns && got != "1.0.0") {
			t.Errorf("%s is %q: %v", name, got, err)
		}
	}
	w.Must(w.Destroy(), 0)
}
