// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func TestRecordKeepsTheDefinitionsOfSubcharts(t *testing.T) {
	above, below := chartOf(nil), chartOf(nil)
	below.Metadata = &chart.Metadata{Name: "below"}
	below.Files[0].Data = []byte(strings.ReplaceAll(crd, "widgets", "gadgets"))
	above.AddDependency(below)
	want := []string{"CustomResourceDefinition gadgets.example.org", "CustomResourceDefinition widgets.example.org"}
	raw, err := json.Marshal(wholly(above)) // as Helm stores it, which leaves subcharts out
	if err != nil {
		t.Fatal(err)
	}
	stored := &chart.Chart{}
	if err := json.Unmarshal(raw, stored); err != nil {
		t.Fatal(err)
	}
	all, err := definitions(stored)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, object := range all {
		got[objects.Ref(object)] = true
	}
	if len(got) != len(want) || !got[want[0]] || !got[want[1]] {
		t.Errorf("definitions are %v, want %v", got, want)
	}
	if len(above.Files) != 1 {
		t.Error("the chart itself was changed")
	}
}

func TestParseWritesObjectsAsTheAPIServerKeepsThem(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{
			"nulls are nothing", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: null}, data: {b: null, c: d}}",
			`{"apiVersion":"v1","data":{"c":"d"},"kind":"ConfigMap","metadata":{"name":"a"}}`,
		},
		{
			"nulls in lists of maps, too", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: v, emptyDir: null}]}}",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"volumes":[{"name":"v"}]}}`,
		},
		{
			"texts of a Secret win over its data", "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {one: eA==, two: eQ==}, stringData: {one: z}}",
			`{"apiVersion":"v1","data":{"one":"eg==","two":"eQ=="},"kind":"Secret","metadata":{"name":"a"}}`,
		},
		{
			"what is no text is left to the API server", "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {x: 1}}",
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"x":1}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, err := parse(test.text)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d objects, %v", len(all), err)
			}
			got, err := json.Marshal(all[0].Object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("object (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDropTakesOutWhatIsWantedNoMore(t *testing.T) {
	would := map[string]any{"data": map[string]any{"a": "1", "b": "2", "theirs": "3"}, "more": "x"}
	drop(would, map[string]any{"data": map[string]any{"a": "1", "b": "2"}, "more": "x"}, map[string]any{"data": map[string]any{"a": "1"}})
	if diff := cmp.Diff(map[string]any{"data": map[string]any{"a": "1", "theirs": "3"}}, would); diff != "" {
		t.Errorf("what would be (-want +got):\n%s", diff)
	}
}

func TestSecretsAreKnownByTheirPaths(t *testing.T) {
	secret := map[string]any{"db": map[string]any{"password": "hunter22"}, "keys": []any{"first-key"}, "port": int64(5432)}
	paths := leaves(secret)
	if diff := cmp.Diff([][]string{{"db", "password"}, {"keys"}, {"port"}}, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	mask := maskOf(Merge(map[string]any{"open": "value"}, secret), paths)
	if got := mask.Text("value: hunter22 and first-key"); got != "value: (sensitive) and (sensitive)" {
		t.Errorf("masked text is %q", got)
	}
}
