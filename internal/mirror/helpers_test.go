// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
	"github.com/trainyard/terraform-provider-trainyard/internal/progress"
)

// entries is a small catalogue.
type entries map[string]Entry

func (e entries) Names() []string {
	var names []string
	for name := range e {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (e entries) Entry(name string) (Entry, bool) {
	entry, ok := e[name]
	return entry, ok
}

// site serves files and a registry, notes requests, and can be told to misbehave.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	files    map[string][]byte
	requests []string // "GET /path"
	fault    func(w http.ResponseWriter, r *http.Request) (handled bool)
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{files: map[string][]byte{}}
	containers := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		content, fault := s.files[r.URL.Path], s.fault
		s.mu.Unlock()
		switch {
		case fault != nil && fault(w, r):
		case content != nil:
			_, _ = w.Write(content)
		default:
			containers.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) host() string { return strings.TrimPrefix(s.URL, "http://") }

func (s *site) misbehave(fault func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// since gives the requests from the n-th on that begin so.
func (s *site) since(n int, prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for _, request := range s.requests[n:] {
		if strings.HasPrefix(request, prefix) {
			found = append(found, request)
		}
	}
	return found
}

func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func archiveOf(t testing.TB, name, version string) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	archive := tar.NewWriter(compressed)
	content := "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n"
	if err := archive.WriteHeader(&tar.Header{Name: name + "/Chart.yaml", Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func digestOf(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// publish puts a chart into the site's repository at /charts.
func (s *site) publish(t testing.TB, chart string) chartstore.Source {
	t.Helper()
	s.files["/charts/"+chart+".tgz"] = archiveOf(t, chart, "1.2.0+b7")
	s.files["/charts/index.yaml"] = append(s.files["/charts/index.yaml"], fmt.Sprintf("  %s:\n  - {name: %[1]s, version: 1.2.0+b7, urls: [%[1]s.tgz]}\n", chart)...)
	if !bytes.HasPrefix(s.files["/charts/index.yaml"], []byte("apiVersion")) {
		s.files["/charts/index.yaml"] = append([]byte("apiVersion: v1\nentries:\n"), s.files["/charts/index.yaml"]...)
	}
	return chartstore.Source{Repository: s.URL + "/charts", Name: chart, Version: "1.2.0+b7"}
}

// image puts an image for two platforms, or for one, into the site's registry.
func (s *site) image(t testing.TB, path string, platforms ...string) (reference, digest string) {
	t.Helper()
	reference = s.host() + "/" + path
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	one, err := random.Image(2000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(platforms) == 0 {
		hash, err := one.Digest()
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Write(ref, one); err != nil {
			t.Fatal(err)
		}
		return reference, hash.String()
	}
	index, err := random.Index(100, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range platforms {
		parsed, err := v1.ParsePlatform(platform)
		if err != nil {
			t.Fatal(err)
		}
		made, err := random.Image(2000, 2)
		if err != nil {
			t.Fatal(err)
		}
		config, err := made.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		config.OS, config.Architecture = parsed.OS, parsed.Architecture
		if made, err = mutate.ConfigFile(made, config); err != nil {
			t.Fatal(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: made, Descriptor: v1.Descriptor{Platform: parsed}})
	}
	hash, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(ref, index); err != nil {
		t.Fatal(err)
	}
	return reference, hash.String()
}

func newPull(t testing.TB) Pull {
	t.Helper()
	limits := fetch.Limits{Tries: 2, Silence: 5 * time.Second, Attempt: 10 * time.Second, Patience: time.Second}
	return Pull{Store: chartstore.New(t.TempDir(), ""), Small: limits, Large: limits}
}

// pull fills dir and gives what was reported.
func pull(t testing.TB, pull Pull, dir string, need Need) (report string, err error) {
	t.Helper()
	if err := need.settle(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = pull.Into(t.Context(), dir, need, progress.Lines(&out, need.Jobs()))
	return out.String(), err
}

func push(t testing.TB, dir, mirror string) (report string, err error) {
	t.Helper()
	var out strings.Builder
	err = Push{Charts: "oci://" + mirror, Images: mirror}.From(t.Context(), dir, progress.Lines(&out, 1))
	return out.String(), err
}

// filesIn lists the files below a folder.
func filesIn(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
