// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

const importCommand = "trainyard_component.this"

// adopted is a workspace that imports the stage's release.
func (s *stage) adopted(config string) run {
	s.t.Helper()
	w := s.workspace(strings.Split(config, "\n  timeouts")[0] + "\n}\n")
	w.Must(w.Run("import", importCommand, s.ns+"/app"), 0)
	return w
}

func TestAccReleaseOfTheHelmCommandIsTakenOver(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	s.append(filepath.Join(chart, "values.yaml"), "more: {}\n")
	s.rewrite(filepath.Join(chart, "templates", "all.yaml"), "greeting: {{ .Values.greeting | quote }}", "greeting: {{ .Values.greeting | quote }}\n  {{- with .Values.more }}{{ toYaml . | nindent 2 }}{{ end }}")
	s.helm("install", "app", chart, "--set", "replicas=2,more.key=x,nodeSelector.kubernetes\\.io/os=linux", "--set-string", "greeting=42", "--wait")
	uid := s.uid(deployment, s.ns, "app")
	standing := `values = { replicas = 2, more = { key = "x" }, greeting = "42", nodeSelector = { "kubernetes.io/os" = "linux" } }`
	w := s.adopted(s.component(chart, standing))
	if result := w.Plan(); result.Code != acctest.Empty {
		t.Fatalf("the plan after the import is not empty: %s", result.Text)
	}
	w.Write(s.component(chart, standing)) // with time limits, which no release has
	w.plans("update")
	w.settle()
	if w.revision() != "1" {
		t.Errorf("an apply that changes nothing made revision %s", w.revision())
	}

	s.Edit(acctest.ConfigMap, s.ns, "app", `{"data":{"greeting":"by hand"}}`)
	has(t, fmt.Sprint(w.planned().Before["drift"]), `data.greeting: "42" -> "by hand"`)
	w.settle()

	w.Write(s.component(chart, `values = { replicas = 2, more = { key = "x" }, greeting = "moin", nodeSelector = { "kubernetes.io/os" = "linux" } }`))
	w.planned()
	w.settle()
	w.Write(s.component(chart, `values = { replicas = 2, greeting = "moin" }`))
	w.plans("update", "change ConfigMap "+s.ns+`/app: data.key: "x" -> (none)`,
		"change Deployment "+s.ns+`/app: spec.template.spec.nodeSelector: {"kubernetes.io/os":"linux"} -> (none)`)
	w.settle()
	template, _, _ := unstructured.NestedMap(s.Get(deployment, s.ns, "app").Object, "spec", "template", "spec")
	if template["nodeSelector"] != nil {
		t.Errorf("a field that the helm command had set stays: %v", template["nodeSelector"])
	}
	if data := s.Get(acctest.ConfigMap, s.ns, "app").Object["data"].(map[string]any); data["key"] != nil {
		t.Errorf("a key that the helm command had set stays: %v", data)
	}
	if s.uid(deployment, s.ns, "app") != uid {
		t.Error("the Deployment was made anew")
	}
	w.Must(w.Destroy(), 0)
	s.gone(deployment, service, acctest.ConfigMap, account)
}

// TestAccReleaseFromARepositoryIsTakenOver has the chart in a repository: Helm recorded no digest.
func TestAccReleaseFromARepositoryIsTakenOver(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	repository := s.serveCharts(chart)
	s.helm("install", "app", "basic", "--repo", repository, "--version", "1.0.0", "--wait")
	config := func(arguments string) string {
		return strings.Replace(s.component("", arguments), `{ path = "" }`,
			fmt.Sprintf(`{ repository = %q, name = "basic", version = "1.0.0" }`, repository), 1)
	}
	w := s.adopted(config(""))
	if result := w.Plan(); result.Code != acctest.Empty {
		t.Fatalf("the plan after the import is not empty: %s", result.Text)
	}
	w.Write(config(`values = { greeting = "moin" }`))
	w.planned()
	w.settle()
	has(t, fmt.Sprint(w.attributes()["chart_digest"]), "sha256:")
	w.Must(w.Destroy(), 0)
	s.gone(deployment)
}

// serveCharts packs charts and serves them as a repository over HTTP.
func (s *stage) serveCharts(charts ...string) string {
	s.t.Helper()
	dir := s.t.TempDir()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	s.t.Cleanup(server.Close)
	for _, args := range [][]string{append([]string{"package", "--destination", dir}, charts...), {"repo", "index", dir, "--url", server.URL}} {
		if output, err := exec.CommandContext(s.t.Context(), s.helmProgram(), args...).CombinedOutput(); err != nil {
			s.t.Fatalf("helm %v: %v\n%s", args, err, output)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "index.yaml")); err != nil {
		s.t.Fatal(err)
	}
	return server.URL
}

func TestAccReleaseOfOthersIsRefusedUntilImported(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	s.helm("install", "app", chart)
	before := s.Get(acctest.ConfigMap, s.ns, "app").GetResourceVersion()
	w := s.workspace(s.component(chart, `values = { greeting = "moin" }`))
	has(t, w.Must(w.Apply(), acctest.Failed).Text, "release "+s.ns+"/app exists", "Import it to take it over")
	if s.Get(acctest.ConfigMap, s.ns, "app").GetResourceVersion() != before {
		t.Error("something of the release was changed")
	}
	s.helm("uninstall", "app")
}

func TestAccObjectOfOthersIsRefused(t *testing.T) {
	s := prepare(t)
	s.Make(acctest.ConfigMap, s.ns, `{metadata: {name: app}, data: {greeting: of others, more: x}}`)
	before := s.Get(acctest.ConfigMap, s.ns, "app").GetResourceVersion()
	w := s.workspace(s.component(s.chart("basic"), ""))
	for _, result := range []acctest.Result{w.Plan(), w.Apply()} {
		has(t, w.Must(result, acctest.Failed).Text, "ConfigMap "+s.ns+"/app", "belongs to somebody else")
	}
	if s.Get(acctest.ConfigMap, s.ns, "app").GetResourceVersion() != before || w.attributes() != nil {
		t.Error("the object was changed, or the release is in the state")
	}
	s.Edit(acctest.ConfigMap, s.ns, "app", `{"metadata":{"annotations":{"meta.helm.sh/release-name":"app","meta.helm.sh/release-namespace":"`+s.ns+`"}}}`)
	w.settle() // handed over
	w.Must(w.Destroy(), 0)
	s.gone(acctest.ConfigMap)
}
