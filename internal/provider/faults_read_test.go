// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// readPath is a way to the API server on which state depends.
type readPath struct {
	name, verb, path string
	fixture          string
	// drifted: the plan has a change even without a fault.
	drifted bool
	// what is read, as the error names it; "" stands for a resource.
	what string
	// needed: there is no other way where the list is forbidden.
	needed bool
}

// readPaths are all requests of a refresh.
func readPaths() []readPath {
	paths := []readPath{
		{name: "get kube-system", verb: "get", path: "/namespaces/kube-system$", fixture: "queue"},
		{name: "get a missing role", verb: "get", path: "/roles/", fixture: "team without a role", drifted: true},
	}
	paths = append(paths,
		readPath{name: "list nodes for data", verb: "list", path: "/nodes$", fixture: "data", what: "the GPU nodes", needed: true},
		readPath{name: "list nodes of pools", verb: "list", path: "/nodes$", fixture: "nodes", what: `GPU cluster "acc-`, needed: true},
		readPath{name: "list queues for data", verb: "list", path: "/queues$", fixture: "data", what: "the status of queues", needed: true},
		readPath{name: "list podgroups for data", verb: "list", path: "/podgroups$", fixture: "data", what: "the status of queues"},
	)
	for _, resource := range []string{"secrets", "serviceaccounts", "configmaps", "services", "deployments"} {
		paths = append(paths, readPath{name: "list " + resource + " of charts", verb: "list", path: "v1/" + resource + "$", fixture: "component", what: `component "acc-`})
	}
	for _, resource := range []string{"queues", "priorityclasses"} {
		paths = append(paths, readPath{name: "list " + resource, verb: "list", path: "/" + resource + "$", fixture: "queue"})
	}
	for _, resource := range []string{
		"namespaces", "resourcequotas", "limitranges", "networkpolicies", "roles", "rolebindings", "secrets", "serviceaccounts",
	} {
		paths = append(paths, readPath{name: "list " + resource, verb: "list", path: "/" + resource + "$", fixture: "team"})
	}
	return paths
}

// outcome is what a run under a fault has to come to.
type outcome struct {
	fails bool
	text  string // regular expression on the error
}

// expected says what a fault leads to. A fault that may pass is waited out; when it stays, or
// when it cannot pass, the run fails with its cause.
func expected(path readPath, kind faultproxy.Kind, transient bool) outcome {
	refused := outcome{fails: true}
	switch kind {
	case faultproxy.Slow:
		return outcome{}
	case faultproxy.Forbidden:
		if path.verb == "list" && !path.needed {
			return outcome{} // read one by one, or done without
		}
		refused.text = "Grant this verb to the identity"
		return refused
	case faultproxy.Unauthorized:
		refused.text = "did not accept the credentials"
		return refused
	case faultproxy.NotFoundPage:
		refused.text = "could not find the requested resource"
		return refused
	case faultproxy.WrongPage:
		refused.text = "decode"
		return refused
	}
	if transient {
		return outcome{}
	}
	refused.text = "the time limit is reached after .* last cause: .*" + map[faultproxy.Kind]string{
		faultproxy.TooManyRequests: "too many requests",
		faultproxy.InternalError:   "leader changed",
		faultproxy.Unavailable:     "unable to handle the request",
		faultproxy.Reset:           "(reset|EOF|lost|closed|broken)",
		faultproxy.Hang:            "deadline exceeded",
		faultproxy.CutBody:         "(stream error|EOF)",
		faultproxy.CutChunk:        "(stream error|EOF)",
	}[kind]
	return refused
}

// patient gives reads time for another try after a request that hangs, on a busy machine too.
func patient(text string) string { return strings.ReplaceAll(text, `"3s"`, `"12s"`) }

// readFixtures are applied once; every cell of the table begins with a copy.
func readFixtures(bed *acctest.Bed) map[string]*acctest.Workspace {
	owner := acctest.Name("acc-faults")
	bed.Sweep(owner)
	limits := `timeouts = { read = "3s" }`
	queue, team, holed := acctest.Name("acc-queue"), acctest.Name("acc-team"), acctest.Name("acc-team")
	fixtures := map[string]*acctest.Workspace{
		"queue":               bed.Workspace(acctest.Owned(owner) + queueText(queue, 8, limits)),
		"team":                bed.Workspace(acctest.Owned(owner) + teamText(team, 8, limits)),
		"component":           bed.Workspace(acctest.Owned(owner) + componentText(bed, limits)),
		"nodes":               bed.Workspace(acctest.Owned(owner) + nodesText(bed, limits)),
		"data":                bed.Workspace(acctest.Owned(owner) + dataText(limits)),
		"team without a role": bed.Workspace(acctest.Owned(owner) + teamText(holed, 8, limits)),
	}
	for _, w := range fixtures {
		w.Must(w.Apply(), 0)
		w.Settled()
	}
	bed.Delete(kube.Role, holed, "trainyard-engineers")
	return fixtures
}

// componentText is a release of a chart.
func componentText(bed *acctest.Bed, arguments string) string {
	namespace := acctest.Name("acc-chart")
	bed.Make(kube.Namespace, "", fmt.Sprintf("{metadata: {name: %q}}", namespace))
	bed.Clean(kube.Namespace, "", namespace)
	chart, _ := filepath.Abs("component/testdata/charts/basic") // the working directory is known
	return fmt.Sprintf(`
resource "trainyard_component" "this" {
  name      = "app"
  namespace = %q
  chart     = { path = %q }
  %s
}
`, namespace, chart, arguments)
}

// nodesText is a cluster with a node of its own.
func nodesText(bed *acctest.Bed, arguments string) string {
	name := acctest.Name("acc-nodes")
	bed.Make(kube.Node, "", fmt.Sprintf("{metadata: {name: %[1]q, labels: {group: %[1]q}, annotations: {kwok.x-k8s.io/node: fake}}}", name))
	bed.Clean(kube.Node, "", name)
	return fmt.Sprintf(`
resource "trainyard_gpu_cluster" "this" {
  name                = %[1]q
  pools               = { one = { selector = { group = %[1]q } } }
  deletion_protection = false
  %[2]s
}
`, name, arguments)
}

// dataText reads both data sources.
func dataText(arguments string) string {
	return `
data "trainyard_gpu_nodes" "all" { ` + arguments + ` }
data "trainyard_queue_status" "all" { ` + arguments + ` }
`
}

// TestAccFaultsOnReadsLeaveStateAsItWas is the fault table: every request of a refresh, every
// fault, once for ever and once for the first request only.
func TestAccFaultsOnReadsLeaveStateAsItWas(t *testing.T) {
	bed := acctest.New(t)
	fixtures := readFixtures(bed)
	table := &faultTable{hits: map[string]int{}}
	var group errgroup.Group
	group.SetLimit(8) // cells mostly wait
	for _, path := range readPaths() {
		for _, kind := range faultproxy.Kinds {
			for _, transient := range []bool{false, true} {
				group.Go(func() error {
					t.Run(fmt.Sprintf("%s/%s/transient=%v", path.name, kind, transient), func(t *testing.T) {
						hits := readCell(t, bed.With(t), fixtures[path.fixture], path, kind, transient)
						table.note(path.name, kind, transient, hits)
					})
					return nil
				})
			}
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("requests struck, for ever/first only:\n%s", table)
}

// readCell runs Terraform under one fault and returns how many requests it struck.
func readCell(t *testing.T, bed *acctest.Bed, fixture *acctest.Workspace, path readPath, kind faultproxy.Kind, transient bool) int {
	t.Helper()
	proxy := faultproxy.Start(t, bed.Config)
	w := bed.Workspace("").Adopt(fixture).Through(proxy)
	fault := faultproxy.Fault{Kind: kind, Verb: path.verb, Path: path.path}
	if transient {
		fault.Times = 1
	}
	if transient || kind == faultproxy.Slow {
		w.Write(patient(fixture.Config()))
		w.SetState([]byte(patient(string(fixture.State()))))
	}
	injected := proxy.Inject(fault)
	before := w.State()
	want := expected(path, kind, transient)
	if want.fails {
		// An apply, because a plan never writes the state.
		result := w.Must(w.Apply(), acctest.Failed)
		what := path.what
		if what == "" {
			what = `(queue|team) "acc-`
		}
		if !regexp.MustCompile(`Unable to read ` + what + `.*` + want.text).MatchString(result.Text) {
			t.Errorf("Terraform says %q, want it like %q", result.Text, want.text)
		}
	} else {
		code := acctest.Empty
		if path.drifted {
			code = acctest.Changes
		}
		result := w.Must(w.Plan(), code)
		if path.drifted && !strings.Contains(result.Text, "trainyard-engineers: deleted") {
			t.Errorf("the plan does not show the missing role: %s", result.Text)
		}
	}
	same(t, before, w.State())
	hits := proxy.Hits(injected)
	if hits == 0 {
		t.Error("no request was struck: this is not a request of a refresh")
	}
	return hits
}

// faultTable counts the requests that were struck.
type faultTable struct {
	mu   sync.Mutex
	hits map[string]int
}

func (f *faultTable) note(path string, kind faultproxy.Kind, transient bool, hits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hits[fmt.Sprint(path, kind, transient)] = hits
}

func (f *faultTable) String() string {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "request")
	for _, kind := range faultproxy.Kinds {
		fmt.Fprintf(w, "\t%s", kind)
	}
	for _, path := range readPaths() {
		fmt.Fprintf(w, "\n%s", path.name)
		for _, kind := range faultproxy.Kinds {
			fmt.Fprintf(w, "\t%d/%d", f.hits[fmt.Sprint(path.name, kind, false)], f.hits[fmt.Sprint(path.name, kind, true)])
		}
	}
	_ = w.Flush()
	return text.String()
}
