// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/version"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true}, {name: v1alpha1, served: false}]
`

func chartOf(templates map[string]string) *chart.Chart {
	c := &chart.Chart{
		Metadata: &chart.Metadata{Name: "basic", Version: "1.0.0", APIVersion: "v2", KubeVersion: ">=1.27.0-0"},
		Files:    []*chart.File{{Name: "crds/widgets.yaml", Data: []byte(crd)}},
		Values:   map[string]any{"greeting": "hello"},
	}
	for name, text := range templates {
		c.Templates = append(c.Templates, &chart.File{Name: "templates/" + name, Data: []byte(text)})
	}
	return c
}

func api(serverVersion string) *kube.API {
	return kube.Assumed(version.Info{GitVersion: serverVersion, Major: "1", Minor: "36"}, []string{"v1", "apps/v1"})
}

var place = at{Name: Name{Namespace: "vision", Name: "serve"}, Revision: 1, Owner: objects.Owner{Owner: "o", Resource: "component", Name: "vision.serve"}}

func TestRender(t *testing.T) {
	c := chartOf(map[string]string{
		"list.yaml": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {g: '{{ .Values.greeting }}'}}\n" +
			"- {apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: other}}\n",
		"widget.yaml": "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w, labels: {a: b}}\n",
		"empty.yaml":  "{{ if false }}x{{ end }}\n---\n# a comment\n",
		"hook.yaml":   "apiVersion: batch/v1\nkind: Job\nmetadata: {name: h, annotations: {helm.sh/hook: pre-install}}\n",
		"NOTES.txt":   "{{ .Release.Name }} says {{ .Values.greeting }}",
	})
	made, err := render(t.Context(), c, map[string]any{"greeting": "hi"}, place, api("v1.36.3"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for _, object := range made.Objects {
		refs = append(refs, objects.Ref(object))
		if owner, ours := objects.OwnerOf(object.GetLabels()); !ours || owner != place.Owner {
			t.Errorf("%s does not say whose it is: %v", objects.Ref(object), object.GetLabels())
		}
		if object.GetAnnotations()[releaseName] != "serve" || object.GetAnnotations()[releaseNamespace] != "vision" {
			t.Errorf("%s does not say which release it is of: %v", objects.Ref(object), object.GetAnnotations())
		}
	}
	if diff := cmp.Diff([]string{"ConfigMap vision/one", "ConfigMap other/two", "Widget w"}, refs); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if made.Objects[2].GetLabels()["a"] != "b" {
		t.Error("a label of the chart is lost")
	}
	if len(made.Hooks) != 1 || len(made.CRDs) != 1 || made.Notes != "serve says hi" {
		t.Errorf("%d hooks, %d definitions, notes %q", len(made.Hooks), len(made.CRDs), made.Notes)
	}
	again, err := parse(made.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made.Objects, again); diff != "" {
		t.Errorf("the manifest does not hold the objects (-made +read):\n%s", diff)
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, test := range []struct {
		name, template, server, want, place string
	}{
		{"an old cluster", "", "v1.26.0", "is for Kubernetes >=1.27.0-0", "chart.version"},
		{"a template that fails", `{{ fail "set the greeting" }}`, "v1.36.3", "set the greeting", "values"},
		{"what is no object", "just: text", "v1.36.3", "Kind", ""},
		{"what is no YAML", "a: [", "v1.36.3", "YAML", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := render(t.Context(), chartOf(map[string]string{"x.yaml": test.template}), nil, place, api(test.server), nil)
			if err == nil || !containsFold(err.Error(), test.want) {
				t.Errorf("err = %v, want %q", err, test.want)
			}
			if got := spec.PlaceOf(err).String(); got != test.place {
				t.Errorf("the cause stands at %q, want %q", got, test.place)
			}
		})
	}
}

func TestDefinedNamesServedVersions(t *testing.T) {
	all, err := parse(crd)
	if err != nil {
		t.Fatal(err)
	}
	kinds := defined(all)
	if len(kinds) != 1 || kinds[0].Resource != "widgets" || kinds[0].Namespaced || kinds[0].Version != "v1" {
		t.Errorf("kinds = %+v", kinds)
	}
}
