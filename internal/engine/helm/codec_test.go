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
	"helm.sh/helm/v3/pkg/storage/driver"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func stored() *release.Release {
	return &release.Release{
		Name: "serve", Namespace: "vision", Version: 3, Manifest: "---\nkind: ConfigMap\n", Config: map[string]any{"a": "b"},
		Chart: &chart.Chart{Metadata: &chart.Metadata{Name: "basic", Version: "1.0.0", APIVersion: "v2"}},
		Info:  &release.Info{Status: release.StatusDeployed, Notes: strings.Repeat("notes ", 200)},
	}
}

// TestHelmReadsWhatWePack: Helm's own storage finds in our Secret what we put in.
func TestHelmReadsWhatWePack(t *testing.T) {
	owner := objects.Owner{Owner: "default", Resource: "component", Name: "vision.serve"}
	object, err := pack(stored(), owner, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{}
	secret.Name, secret.Namespace, secret.Labels = object.GetName(), object.GetNamespace(), object.GetLabels()
	secret.Data = map[string][]byte{"release": []byte(decoded(t, object))}
	helm := driver.NewSecrets(fake.NewClientset(secret).CoreV1().Secrets("vision"))
	got, err := helm.Get("sh.helm.release.v1.serve.v3")
	if err != nil {
		t.Fatal(err)
	}
	want := stored()
	want.Labels = got.Labels // Helm keeps ours with its own
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(chart.Chart{})); diff != "" {
		t.Errorf("read by Helm (-want +got):\n%s", diff)
	}
	found, err := helm.Query(map[string]string{"name": "serve", "owner": "helm", "status": "deployed"})
	if err != nil || len(found) != 1 {
		t.Errorf("Helm finds %d deployed releases: %v", len(found), err)
	}
}

// TestWeReadWhatHelmPacks is the other way round.
func TestWeReadWhatHelmPacks(t *testing.T) {
	client := fake.NewClientset()
	if err := driver.NewSecrets(client.CoreV1().Secrets("vision")).Create("sh.helm.release.v1.serve.v3", stored()); err != nil {
		t.Fatal(err)
	}
	secret, err := client.CoreV1().Secrets("vision").Get(t.Context(), "sh.helm.release.v1.serve.v3", getOptions)
	if err != nil {
		t.Fatal(err)
	}
	object := objects.From(secret)
	object.SetKind("Secret")
	got, err := unpack(object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stored(), got, cmp.AllowUnexported(chart.Chart{})); diff != "" {
		t.Errorf("read by us (-want +got):\n%s", diff)
	}
	e := entryOf(object)
	if e.Revision != 3 || e.Status != release.StatusDeployed || e.Ours || time.Since(e.Changed) > time.Hour {
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
