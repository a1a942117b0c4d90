// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

var digests = []string{"sha256:" + strings.Repeat("0", 64), "sha256:" + strings.Repeat("1", 64)}

func small() entries {
	return entries{
		"queue": {
			Chart:  chartstore.Source{Repository: "https://charts.example.com", Name: "queue", Version: "1.2.0", Digest: digests[0]},
			Images: []string{"nginx:1.29", "ghcr.io/example/queue:v1.2.0"},
		},
		"quota": {
			Chart:  chartstore.Source{Registry: "oci://ghcr.io/example/charts", Name: "quota", Version: "0.1.0"},
			Images: []string{"docker.io/library/nginx:1.29"},
		},
	}
}

func TestNeedOfCatalog(t *testing.T) {
	all, err := OfCatalog(small())
	if err != nil {
		t.Fatal(err)
	}
	want := Need{
		Charts: []chartstore.Source{small()["queue"].Chart, small()["quota"].Chart},
		Images: []string{"docker.io/library/nginx:1.29", "ghcr.io/example/queue:v1.2.0"},
	}
	if diff := cmp.Diff(want, Need{Charts: sorted(all.Charts), Images: all.Images}); diff != "" {
		t.Errorf("need (-want +got):\n%s", diff)
	}
	_, err = OfCatalog(small(), "queue", "absent")
	wantError(t, err, `no "absent"`, "queue, quota")
}

// sorted puts charts of repositories before those of registries.
func sorted(charts []chartstore.Source) []chartstore.Source {
	if len(charts) == 2 && charts[0].Registry != "" {
		return []chartstore.Source{charts[1], charts[0]}
	}
	return charts
}

const plan = `{"format_version":"1.2","planned_values":{"root_module":{
 "resources":[
  {"address":"trainyard_component.queue","mode":"managed","type":"trainyard_component","values":{"catalog":"queue","chart":null}},
  {"address":"trainyard_component.unknown","mode":"managed","type":"trainyard_component","values":{}},
  {"address":"data.trainyard_component.x","mode":"data","type":"trainyard_component","values":{"catalog":"absent"}},
  {"address":"null_resource.x","mode":"managed","type":"null_resource","values":{"catalog":"absent"}}],
 "child_modules":[{"resources":[
  {"address":"module.a.trainyard_component.own","mode":"managed","type":"trainyard_component","values":{"catalog":null,"images":["busybox"],
   "chart":{"repository":"https://charts.example.com","registry":null,"path":null,"name":"queue","version":"1.2.0","digest":null}}},
  {"address":"module.a.trainyard_component.local","mode":"managed","type":"trainyard_component","values":{"chart":{"path":"./chart"},"images":["busybox:1.38.0"]}}],
  "child_modules":[{"resources":[
  {"address":"module.a.module.b.trainyard_component.range","mode":"managed","type":"trainyard_component","values":{
   "chart":{"registry":"oci://ghcr.io/example","name":"x","version":">1"}}},
  {"address":"module.a.module.b.trainyard_component.new","mode":"managed","type":"trainyard_component","values":{
   "chart":{"registry":"oci://ghcr.io/example","name":"new","version":"1.0.0"}}}]}]}]}}}`

func TestNeedOfPlan(t *testing.T) {
	got, err := OfTerraform(strings.NewReader(plan), small())
	if err != nil {
		t.Fatal(err)
	}
	want := Need{
		Charts: []chartstore.Source{
			small()["queue"].Chart, // asked for twice, pinned once
			{Registry: "oci://ghcr.io/example", Name: "new", Version: "1.0.0"},
		},
		Images: []string{"docker.io/library/busybox", "docker.io/library/busybox:1.38.0", "docker.io/library/nginx:1.29", "ghcr.io/example/queue:v1.2.0"},
		Doubts: []string{
			"module.a.module.b.trainyard_component.new: the images of its chart are known after it has been applied once; name what is missing with --image",
			"module.a.module.b.trainyard_component.range: chart." + chartstore.Source{Registry: "oci://ghcr.io/example", Name: "x", Version: ">1"}.Check()[0].Error(),
			"trainyard_component.unknown: its chart is not known before apply",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("need (-want +got):\n%s", diff)
	}
}

func TestNeedOfState(t *testing.T) {
	state := strings.Replace(plan, "planned_values", "values", 1)
	got, err := OfTerraform(strings.NewReader(state), small())
	if err != nil || len(got.Charts) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := OfTerraform(strings.NewReader(`{"format_version":"1.0"}`), small()); err != nil || got.Jobs() != 0 {
		t.Errorf("an empty state: %+v, %v", got, err)
	}
}

func TestWhatIsNoPlan(t *testing.T) {
	for text, want := range map[string]string{
		"PK\x03\x04":               "terraform show -json", // the plan file itself
		`{"version":4,"serial":1}`: "terraform show -json", // the state file itself
		`{"format_version":"3.0"}`: "not known yet",
		`{"format_version":"1.0","values":{"root_module":{"resources":[{"address":"trainyard_component.x","type":"trainyard_component","values":{"catalog":"absent"}}]}}}`: `trainyard_component.x: the catalogue has no "absent"`,
	} {
		_, err := OfTerraform(strings.NewReader(text), small())
		wantError(t, err, want)
	}
}

func TestOneChartWithTwoDigestsIsRefused(t *testing.T) {
	chart := small()["queue"].Chart
	other := chart
	other.Digest = digests[1]
	need := Need{Charts: []chartstore.Source{chart}}
	wantError(t, need.Add(Need{Charts: []chartstore.Source{other}}), digests[0], digests[1])
}

func TestVersionAndDigestOfComponent(t *testing.T) {
	tests := map[string]struct{ values, version, digest, doubt string }{
		"as the catalogue has it":      {`{"catalog":"queue"}`, "1.2.0", digests[0], ""},
		"another version":              {`{"catalog":"queue","chart":{"version":"1.3.0"}}`, "1.3.0", "", "version 1.2.0 of its chart, not of 1.3.0"},
		"another version, pinned":      {`{"catalog":"queue","images":["x:1"],"chart":{"version":"1.3.0","digest":"` + digests[1] + `"}}`, "1.3.0", digests[1], ""},
		"another version, recorded":    {`{"catalog":"queue","images":["x:1"],"chart":{"version":"1.3.0"},"chart_version":"1.3.0","chart_digest":"` + digests[1] + `"}`, "1.3.0", digests[1], ""},
		"recorded of another version":  {`{"catalog":"queue","images":["x:1"],"chart":{"version":"1.3.0"},"chart_version":"1.2.9","chart_digest":"` + digests[1] + `"}`, "1.3.0", "", ""},
		"a chart of its own, recorded": {`{"chart":{"repository":"https://charts.example.com","name":"own","version":"1.0.0"},"images":["x:1"],"chart_version":"1.0.0","chart_digest":"` + digests[1] + `"}`, "1.0.0", digests[1], ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := `{"format_version":"1.0","values":{"root_module":{"resources":[{"address":"trainyard_component.x","type":"trainyard_component","values":` + test.values + `}]}}}`
			need, err := OfTerraform(strings.NewReader(text), small())
			if err != nil || len(need.Charts) != 1 {
				t.Fatalf("%+v, %v", need, err)
			}
			if chart := need.Charts[0]; chart.Version != test.version || chart.Digest != test.digest {
				t.Errorf("got %s %q", chart.Version, chart.Digest)
			}
			if doubts := strings.Join(need.Doubts, "\n"); (doubts == "") != (test.doubt == "") || !strings.Contains(doubts, test.doubt) {
				t.Errorf("doubts %q", doubts)
			}
		})
	}
}
