// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// newRegistry is an OCI registry behind a site, which counts and misbehaves.
func newRegistry(t testing.TB) (site *site, host string) {
	t.Helper()
	site = newSite(t)
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	site.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		handler.ServeHTTP(w, r)
		return true
	}
	return site, strings.TrimPrefix(site.URL, "http://")
}

type rawManifest struct {
	raw  []byte
	kind types.MediaType
}

func (m rawManifest) RawManifest() ([]byte, error)        { return m.raw, nil }
func (m rawManifest) MediaType() (types.MediaType, error) { return m.kind, nil }

// pushChart puts a chart into a registry at host/path:tag.
func pushChart(t testing.TB, reference string, archive []byte) {
	t.Helper()
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := NewArtifact(archive)
	if err != nil {
		t.Fatal(err)
	}
	pusher, err := remote.NewPusher()
	if err != nil {
		t.Fatal(err)
	}
	for kind, content := range map[types.MediaType][]byte{ConfigMediaType: artifact.Config, ArchiveMediaType: artifact.Archive} {
		if err := pusher.Upload(t.Context(), ref.Context(), static.NewLayer(content, kind)); err != nil {
			t.Fatal(err)
		}
	}
	if err := pusher.Put(t.Context(), ref, rawManifest{artifact.Manifest, types.OCIManifestSchema1}); err != nil {
		t.Fatal(err)
	}
}

func TestArtifactIsAsHelmWritesIt(t *testing.T) {
	artifact, err := NewArtifact(archiveOf(t, "queue", "1.2.0", "one"))
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := json.Unmarshal(artifact.Config, &config); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"apiVersion": "v2", "name": "queue", "version": "1.2.0", "description": "one"}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	for _, archive := range [][]byte{nil, []byte("no archive")} {
		if _, err := NewArtifact(archive); err == nil {
			t.Errorf("%q was taken for a chart", archive)
		}
	}
}

func TestFindInRegistry(t *testing.T) {
	site, host := newRegistry(t)
	archive := archiveOf(t, "queue", "1.2.0+b7", "one")
	pushChart(t, host+"/charts/queue:1.2.0_b7", archive)
	store := newStore(t, "")
	source := Source{Registry: "oci://" + host + "/charts", Name: "queue", Version: "1.2.0+b7"}
	chart := mustFind(t, store, source)
	digest := digestOfBytes(archive)
	want := Chart{Path: store.archive(digest), Digest: digest, Origin: "oci://" + host + "/charts/queue:1.2.0_b7"}
	if diff := cmp.Diff(want, chart); diff != "" {
		t.Errorf("chart (-want +got):\n%s", diff)
	}
	source.Digest = digest
	before := site.total()
	if chart := mustFind(t, store, source); chart.Origin != "cache" || site.total() != before {
		t.Errorf("%d requests, from %s", site.total()-before, chart.Origin)
	}
}

func TestIndexThatLeadsToARegistry(t *testing.T) {
	_, host := newRegistry(t)
	archive := archiveOf(t, "queue", "1.2.0", "one")
	pushChart(t, host+"/moved/queue:1.2.0", archive)
	site := newSite(t)
	if chart := mustFind(t, newStore(t, ""), site.publish(nil, "oci://"+host+"/moved/queue:1.2.0", "")); chart.Digest != digestOfBytes(archive) {
		t.Errorf("got %+v", chart)
	}
}

func TestErrorsOfRegistry(t *testing.T) {
	_, host := newRegistry(t)
	archive := archiveOf(t, "queue", "1.2.0", "one")
	pushChart(t, host+"/charts/queue:1.2.0", archive)
	image, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(host + "/charts/image:1.2.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, image); err != nil {
		t.Fatal(err)
	}
	valid := Source{Registry: "oci://" + host + "/charts", Name: "queue", Version: "1.2.0"}
	tests := map[string]struct {
		change func(*Source)
		want   string
	}{
		"no such chart":   {func(s *Source) { s.Name = "absent" }, "nothing is there"},
		"no such version": {func(s *Source) { s.Version = "2.0.0" }, "nothing is there"},
		"an image":        {func(s *Source) { s.Name = "image" }, "not a chart but application/vnd.docker.container.image"},
		"another digest":  {func(s *Source) { s.Digest = "sha256:" + strings.Repeat("0", 64) }, digestOfBytes(archive)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			source := valid
			test.change(&source)
			store := newStore(t, "")
			_, err := store.Find(t.Context(), source)
			wantError(t, err, test.want, source.String())
			wantEmpty(t, store.dir)
		})
	}
}

func TestFaultsOfRegistryThatPass(t *testing.T) {
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request){
		"503": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"a cut body": func(w http.ResponseWriter, _ *http.Request) {
			hijacked(w, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nxx")
		},
		"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		for _, kind := range []string{"manifests", "blobs"} {
			t.Run(name+" of "+kind, func(t *testing.T) {
				t.Parallel()
				site, host := newRegistry(t)
				archive := archiveOf(t, "queue", "1.2.0", "one")
				pushChart(t, host+"/charts/queue:1.2.0", archive)
				healthy, struck := site.fault, false
				site.fault = func(w http.ResponseWriter, r *http.Request, nth int) bool {
					if !struck && strings.Contains(r.URL.Path, "/"+kind+"/") {
						struck = true
						fault(w, r)
						return true
					}
					return healthy(w, r, nth)
				}
				source := Source{Registry: "oci://" + host + "/charts", Name: "queue", Version: "1.2.0"}
				if chart := mustFind(t, newStore(t, ""), source); chart.Digest != digestOfBytes(archive) || !struck {
					t.Errorf("%+v, fault seen: %t", chart, struck)
				}
			})
		}
	}
}

func TestCredentialsStayWithTheRegistry(t *testing.T) {
	site, host := newRegistry(t)
	other := newSite(t)
	archive := archiveOf(t, "queue", "1.2.0", "one")
	pushChart(t, host+"/charts/queue:1.2.0", archive)
	blob := "/v2/charts/queue/blobs/" + digestOfBytes(archive)
	other.put(blob, archive)
	healthy := site.fault
	site.fault = func(w http.ResponseWriter, r *http.Request, nth int) bool {
		switch {
		case r.Header.Get("Authorization") == "":
			w.Header().Set("WWW-Authenticate", `Basic realm="charts"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		case r.URL.Path == blob:
			http.Redirect(w, r, other.URL+blob, http.StatusTemporaryRedirect)
			return true
		}
		return healthy(w, r, nth)
	}
	source := Source{Registry: "oci://" + host + "/charts", Name: "queue", Version: "1.2.0"}
	_, err := newStore(t, "").Find(t.Context(), source)
	wantError(t, err, "Credentials are needed")
	source.Credentials = canary
	mustFind(t, newStore(t, ""), source)
	wantAuthorization(t, site, blob, true)
	wantAuthorization(t, other, blob, false)
}

func TestRegistryOverPlainHTTPIsRefused(t *testing.T) {
	// An address of a private network, which the registry's client would ask in plain too.
	source := Source{Registry: "oci://10.255.255.1:1/charts", Name: "queue", Version: "1.2.0"}
	store := newStore(t, "")
	network := &schemes{}
	store.transport = fetch.Guard(network)
	_, err := store.Find(t.Context(), source)
	wantError(t, err, "out of reach")
	if len(network.asked) == 0 || slices.Contains(network.asked, "http") {
		t.Errorf("asked over %v", network.asked)
	}
}

// schemes is a network without servers that notes how it was used.
type schemes struct {
	mu    sync.Mutex
	asked []string
}

func (s *schemes) RoundTrip(request *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, request.URL.Scheme)
	return nil, errors.New("out of reach")
}
