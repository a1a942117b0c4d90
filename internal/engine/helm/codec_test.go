// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func stored() *release.Release {
	return &release.Release{
		Name: "serve", Namespace: "vision", Version: 3, Manifest: "---\nkind: ConfigMap\n", Config: map[string]any{"a": "b"},
		Chart: &chart.Chart{Metadata: &chart.Metadata{Name: "basic", Version: "1.0.0", APIVersion: "v2"}},
		Info:  &release.Info{Status: release.StatusDeployed, Notes: strings.Repeat("notes ", 200)},
	}
}

// TestAReleaseComesBackAsItWasPacked; that Helm itself reads it, the acceptance tests show with
// the helm command.
func TestAReleaseComesBackAsItWasPacked(t *testing.T) {
	owner := objects.Owner{Owner: "default", Resource: "component", Name: "vision.serve"}
	object, err := pack(stored(), owner, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	got, err := unpack(object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stored(), got, cmp.AllowUnexported(chart.Chart{})); diff != "" {
		t.Errorf("release (-want +got):\n%s", diff)
	}
	e := entryOf(object)
	if e.Key != "sh.helm.release.v1.serve.v3" || e.Revision != 3 || e.Status != release.StatusDeployed || e.Owner != owner || time.Since(e.Changed) > time.Hour {
		t.Errorf("entry = %+v", e)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add("")
	f.Add("bm90IGEgcmVsZWFzZQ==")
	f.Fuzz(func(t *testing.T, data string) {
		object := &objects.Object{Object: map[string]any{"metadata": map[string]any{"name": "x"}, "data": map[string]any{"release": data}}}
		if r, err := unpack(object); err == nil && (r.Info == nil || r.Name == "") {
			t.Errorf("a release without a name came out of %q", data)
		}
	})
}
