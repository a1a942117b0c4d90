// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Kinds that the charts of the tests make.
var (
	deployment = acctest.Kind("apps", "v1", "Deployment", "deployments", true)
	service    = acctest.Kind("", "v1", "Service", "services", true)
	account    = acctest.Kind("", "v1", "ServiceAccount", "serviceaccounts", true)
	secret     = acctest.Kind("", "v1", "Secret", "secrets", true)
	volume     = acctest.Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true)
	job        = acctest.Kind("batch", "v1", "Job", "jobs", true)
	definition = acctest.Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false)
)

// stage is where one test plays: an owner and a namespace of its own.
type stage struct {
	*acctest.Bed
	t         *testing.T
	owner, ns string
}

// prepare makes a namespace, and leaves nothing behind when the test ends.
func prepare(t *testing.T) *stage {
	t.Helper()
	bed := acctest.New(t)
	t.Parallel()
	return stageOn(t, bed)
}

func stageOn(t *testing.T, bed *acctest.Bed) *stage {
	t.Helper()
	s := &stage{Bed: bed, t: t, owner: acctest.Name("acc-owner"), ns: acctest.Name("acc-comp")}
	s.Make(kube.Namespace, "", fmt.Sprintf("{metadata: {name: %q}}", s.ns))
	t.Cleanup(func() {
		for _, kind := range []kube.Kind{acctest.ClusterRole, acctest.ClusterBinding, definition} {
			for _, object := range s.List(kind, objects.LabelOwner+"="+s.owner) {
				s.Begin(kind, "", object.GetName())
			}
		}
		s.Begin(kube.Namespace, "", s.ns)
	})
	return s
}

// chart copies a chart, so that the test may change it. Its API group is the stage's own.
func (s *stage) chart(name string) string {
	s.t.Helper()
	from, to := filepath.Join("testdata", "charts", name), filepath.Join(s.t.TempDir(), name)
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		s.t.Fatal(err)
	}
	for _, file := range []string{"crds/widgets.yaml", "templates/widget.yaml"} {
		if _, err := os.Stat(filepath.Join(to, file)); err == nil {
			s.rewrite(filepath.Join(to, file), "example.org", s.group())
		}
	}
	return to
}

// group is the API group of the stage's own definitions, and widgets their name.
func (s *stage) group() string   { return s.ns + ".example.org" }
func (s *stage) widgets() string { return "widgets." + s.group() }

// rewrite replaces text in a file.
func (s *stage) rewrite(file, text, by string) {
	s.t.Helper()
	before, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(before), text) {
		s.t.Fatalf("%s has no %q: %v", file, text, err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(before), text, by)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// component writes a configuration of one release, "app", of a chart in a directory.
func (s *stage) component(chart, arguments string) string {
	if !strings.Contains(arguments, "timeouts") {
		arguments += "\n  timeouts = { create = \"60s\", update = \"60s\", delete = \"60s\" }"
	}
	return acctest.Owned(s.owner) + fmt.Sprintf(`
resource "trainyard_component" "this" {
  name      = "app"
  namespace = %q
  chart     = { path = %q }
  %s
}
`, s.ns, chart, arguments)
}

// run is a workspace and the stage on which it plays.
type run struct {
	*acctest.Workspace
	*stage
}

func (s *stage) workspace(config string) run { return run{s.Workspace(config), s} }

// applied is a workspace whose configuration is applied and settled.
func (s *stage) applied(config string) run {
	s.t.Helper()
	w := s.workspace(config)
	w.settle()
	return w
}

// settle applies; the plan after it is empty.
func (w run) settle() {
	w.t.Helper()
	w.Must(w.Apply(), 0)
	w.Settled()
}

// change is what a plan has for the component.
type change struct {
	Actions       []string
	Before, After map[string]any
}

func (c change) lines(attribute string) (lines []string) {
	list, _ := c.After[attribute].([]any)
	for _, line := range list {
		lines = append(lines, fmt.Sprint(line))
	}
	return lines
}

// planned plans a change, and returns it.
func (w run) planned() change {
	w.t.Helper()
	w.Must(w.Run("plan", "-detailed-exitcode", "-out=saved"), acctest.Changes)
	return w.shown()
}

// shown reads the plan that was saved last.
func (w run) shown() change {
	w.t.Helper()
	var shown struct {
		Changes []struct {
			Address string
			Change  change
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(w.Must(w.Run("show", "-json", "saved"), 0).Text), &shown); err != nil {
		w.t.Fatalf("read the plan: %v", err)
	}
	for _, c := range shown.Changes {
		if c.Address == "trainyard_component.this" {
			return c.Change
		}
	}
	w.t.Fatal("the plan has no component")
	return change{}
}

// plans fails the test unless a plan takes this action and its changes are these lines.
func (w run) plans(action string, lines ...string) {
	w.t.Helper()
	got := w.planned()
	if !slices.Equal(got.Actions, []string{action}) {
		w.t.Errorf("the plan would %v, want %s", got.Actions, action)
	}
	if diff := cmp.Diff(lines, got.lines("changes")); diff != "" {
		w.t.Errorf("what the plan changes (-want +got):\n%s", diff)
	}
}

// attributes are those of the component in the state.
func (w run) attributes() map[string]any {
	w.t.Helper()
	if len(w.State()) == 0 {
		return nil
	}
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct{ Attributes map[string]any }
		}
	}
	if err := json.Unmarshal(w.State(), &state); err != nil {
		w.t.Fatalf("read the state: %v", err)
	}
	for _, resource := range state.Resources {
		if resource.Type == "trainyard_component" && len(resource.Instances) > 0 {
			return resource.Instances[0].Attributes
		}
	}
	return nil
}

// revision and ready are what the state says.
func (w run) revision() string { w.t.Helper(); return fmt.Sprint(w.attributes()["revision"]) }
func (w run) ready() bool      { w.t.Helper(); return w.attributes()["ready"] == true }

// uid identifies one object across the test.
func (s *stage) uid(kind kube.Kind, namespace, name string) string {
	s.t.Helper()
	return string(s.Get(kind, namespace, name).GetUID())
}

// has fails the test where a text lacks one of these.
func has(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in: %s", want, text)
		}
	}
}

// other is component with another release, "other".
func (s *stage) other(chart, arguments string) string {
	return strings.Replace(s.component(chart, arguments), `"app"`, `"other"`, 1)
}

// copy copies a file, and append adds to one.
func (s *stage) copy(from, to string) {
	s.t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) append(file, more string) {
	s.t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(text, more...), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
