// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBetween(t *testing.T) {
	deployment := func(spec string) string { return named("apps/v1", "Deployment", "serve", "spec: "+spec) }
	for _, test := range []struct {
		name, would, stands string
		want                []string
	}{
		{"nothing differs", deployment("{replicas: 2}"), deployment("{replicas: 2.0}"), nil},
		{"a field", deployment("{replicas: 2}"), deployment("{replicas: 4}"), []string{"Deployment serve: spec.replicas: 4 -> 2"}},
		{"a field of a list's item", deployment("{c: [{image: a}]}"), deployment("{c: [{image: b}]}"), []string{`Deployment serve: spec.c[0].image: "b" -> "a"`}},
		{"a list that grew", deployment("{c: [1, 2]}"), deployment("{c: [1]}"), []string{"Deployment serve: spec.c: [1] -> [1,2]"}},
		{"a key that comes and one that goes", deployment("{a: x}"), deployment("{b: z}"), []string{`Deployment serve: spec.a: (none) -> "x"`, `Deployment serve: spec.b: "z" -> (none)`}},
		{"empty is none", deployment("{a: {}, b: []}"), deployment("{}"), nil},
		{"a map in place of a text", deployment("{a: {b: c}}"), deployment("{a: c}"), []string{`Deployment serve: spec.a: "c" -> {"b":"c"}`}},
		{"the status is nobody's wish", deployment("{a: 1}\nstatus: {ready: 1}"), deployment("{a: 1}\nstatus: {ready: 0}"), nil},
		{
			"labels, but not what the server keeps",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, resourceVersion: '2', labels: {a: b}}",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, resourceVersion: '1', uid: u}",
			[]string{`ConfigMap x: metadata.labels: (none) -> {"a":"b"}`},
		},
		{
			"the server's own counters are no change",
			"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: x, annotations: {deprecated.daemonset.template.generation: '3', a: b}}",
			"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: x, annotations: {deprecated.daemonset.template.generation: '2', a: b}}", nil,
		},
		{
			"what a Secret holds is not told", named("v1", "Secret", "s", "data: {a: eA==, b: eQ==}"), named("v1", "Secret", "s", "data: {a: eg==}"),
			[]string{`Secret s: data.a: "(sensitive)" -> "(sensitive)"`, `Secret s: data.b: (none) -> "(sensitive)"`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			would, stands := parse(t, test.would), parse(t, test.stands)
			var got []string
			for _, change := range Between(would, stands) {
				got = append(got, ChangeLine(would.GetKind()+" "+would.GetName(), change))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}
