// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// archiveOf packs a chart; another note is another content.
func archiveOf(t testing.TB, name, version, note string) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	archive := tar.NewWriter(compressed)
	for file, content := range map[string]string{
		name + "/Chart.yaml": "apiVersion: v2\nname: " + name + "\nversion: " + version + "\ndescription: " + note + "\n",
	} {
		if err := archive.WriteHeader(&tar.Header{Name: file, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func digestOfBytes(content []byte) string {
	sum := sha256.Sum256(content)
	return formatDigest(sum[:])
}

// site is an HTTP chart repository that counts requests and can be told to misbehave.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	files    map[string][]byte
	requests map[string]int
	auth     map[string]string // path -> Authorization header that came last
	fault    func(w http.ResponseWriter, r *http.Request, nth int) (handled bool)
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{files: map[string][]byte{}, requests: map[string]int{}, auth: map[string]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests[r.URL.Path]++
	nth, content, fault := s.requests[r.URL.Path], s.files[r.URL.Path], s.fault
	s.auth[r.URL.Path] = r.Header.Get("Authorization")
	s.mu.Unlock()
	if fault != nil && fault(w, r, nth) {
		return
	}
	if content == nil {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(content)
}

func (s *site) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := 0
	for _, count := range s.requests {
		sum += count
	}
	return sum
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

func (s *site) authorization(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.auth[path]
}

func (s *site) put(path string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = content
}

// publish puts chart queue 1.2.0 into the repository at /stable.
func (s *site) publish(archive []byte, url, digest string) Source {
	s.put("/stable/index.yaml", []byte(indexOf("queue", "1.2.0", url, digest)))
	s.put("/stable/queue-1.2.0.tgz", archive)
	return Source{Repository: s.URL + "/stable", Name: "queue", Version: "1.2.0"}
}

func indexOf(name, version, url, digest string) string {
	return fmt.Sprintf(`apiVersion: v1
entries:
  another:
  - name: another
    version: %[2]s
    urls: [https://nowhere.invalid/another.tgz]
  %[1]s:
  - name: %[1]s
    version: 9.9.9
    urls:
    - nothing.tgz
  - name: %[1]s
    version: %[2]s
    digest: %[4]q
    urls:
    - %[3]s
generated: "2026-01-01T00:00:00Z"
`, name, version, url, digest)
}

// newStore returns a store with an empty cache and little patience.
func newStore(t testing.TB, mirror string) *Store {
	t.Helper()
	store := New(t.TempDir(), mirror)
	store.limits = fetch.Limits{Tries: 3, Silence: 300 * time.Millisecond, Attempt: 10 * time.Second, Patience: time.Second}
	return store
}

func mustFind(t testing.TB, store *Store, source Source) Chart {
	t.Helper()
	chart, err := store.Find(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	return chart
}

func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q:\n%s", part, err)
		}
	}
}
