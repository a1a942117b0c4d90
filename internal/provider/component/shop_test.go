// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

// shop is a chart repository on loopback.
type shop struct {
	*httptest.Server

	mu             sync.Mutex // guards what follows
	index, archive []byte
	chartURL       string // "" for its own
	user, password string // "" for everybody
	down           bool

	requests, authorized atomic.Int64
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	user, password, given := r.BasicAuth()
	if given {
		s.authorized.Add(1)
	}
	switch {
	case s.down:
		w.WriteHeader(http.StatusServiceUnavailable)
	case user != s.user || password != s.password:
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == "/index.yaml":
		index := s.index
		if s.chartURL != "" {
			index = bytes.ReplaceAll(index, []byte("basic-1.0.0.tgz"), []byte(s.chartURL))
		}
		_, _ = w.Write(index) // a client that left fails by itself
	default:
		_, _ = w.Write(s.archive)
	}
}

// publish offers one version of one chart.
func (s *shop) publish(name, version string, archive []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.archive = archive
	s.index = fmt.Appendf(nil, "apiVersion: v1\nentries:\n  %s:\n  - apiVersion: v2\n    name: %s\n    version: %s\n    digest: %s\n    urls:\n    - %s-%s.tgz\n",
		name, name, version, strings.TrimPrefix(digestOf(archive), "sha256:"), name, version)
}

// set changes the shop while it is open.
func (s *shop) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// newChartRegistry is an OCI registry on loopback with one chart in it, and its host.
func newChartRegistry(t *testing.T, reference string, archive []byte) (host string) {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	host = strings.TrimPrefix(server.URL, "http://")
	ref, err := name.ParseReference(host + "/" + reference)
	must(t, err)
	artifact, err := chartstore.NewArtifact(archive)
	must(t, err)
	pusher, err := remote.NewPusher()
	must(t, err)
	for kind, content := range map[types.MediaType][]byte{chartstore.ConfigMediaType: artifact.Config, chartstore.ArchiveMediaType: artifact.Archive} {
		must(t, pusher.Upload(t.Context(), ref.Context(), static.NewLayer(content, kind)))
	}
	must(t, pusher.Put(t.Context(), ref, manifest(artifact.Manifest)))
	return host
}

type manifest []byte

func (m manifest) RawManifest() ([]byte, error)        { return m, nil }
func (m manifest) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }

// pack writes the chart in a directory as repositories serve it.
func pack(t *testing.T, dir, name string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zip)
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: name + "/" + filepath.ToSlash(inside), Mode: 0o644, Size: int64(len(content))}); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	must(t, err)
	must(t, archive.Close())
	must(t, zip.Close())
	return packed.Bytes()
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
