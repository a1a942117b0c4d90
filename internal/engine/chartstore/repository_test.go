// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindInRepository(t *testing.T) {
	archive := archiveOf(t, "queue", "1.2.0", "one")
	digest := digestOfBytes(archive)
	tests := map[string]struct{ url, digest string }{
		"an absolute URL":         {"", digest},
		"a relative URL":          {"queue-1.2.0.tgz", digest},
		"a URL from the root":     {"/stable/queue-1.2.0.tgz", digest},
		"a bare digest":           {"queue-1.2.0.tgz", strings.TrimPrefix(digest, "sha256:")},
		"an index without digest": {"queue-1.2.0.tgz", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			site := newSite(t)
			if test.url == "" {
				test.url = site.URL + "/stable/queue-1.2.0.tgz"
			}
			store := newStore(t, "")
			chart := mustFind(t, store, site.publish(archive, test.url, test.digest))
			want := Chart{Path: store.archive(digest), Digest: digest, Origin: site.URL + "/stable/queue-1.2.0.tgz"}
			if diff := cmp.Diff(want, chart); diff != "" {
				t.Errorf("chart (-want +got):\n%s", diff)
			}
			if got, err := os.ReadFile(chart.Path); err != nil || string(got) != string(archive) {
				t.Errorf("the cache holds other content (%v)", err)
			}
		})
	}
}

func TestPinnedChartCostsNoRequest(t *testing.T) {
	site := newSite(t)
	archive := archiveOf(t, "queue", "1.2.0", "one")
	store := newStore(t, "")
	source := site.publish(archive, "queue-1.2.0.tgz", "")
	source.Digest = mustFind(t, store, source).Digest
	before := site.total()
	chart := mustFind(t, store, source)
	if chart.Origin != "cache" || site.total() != before {
		t.Errorf("%d requests, from %s", site.total()-before, chart.Origin)
	}
}

func TestUnpinnedChartIsAskedForAnew(t *testing.T) {
	site := newSite(t)
	store := newStore(t, "")
	first := mustFind(t, store, site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", ""))
	again := mustFind(t, store, site.publish(archiveOf(t, "queue", "1.2.0", "published again"), "queue-1.2.0.tgz", ""))
	if first.Digest == again.Digest {
		t.Error("a version that was published again went unseen")
	}
}

func TestDamagedCacheIsFetchedAnew(t *testing.T) {
	site := newSite(t)
	store := newStore(t, "")
	source := site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", "")
	chart := mustFind(t, store, source)
	source.Digest = chart.Digest
	for name, damage := range map[string]func() error{
		"cut":     func() error { return os.Truncate(chart.Path, 10) },
		"changed": func() error { return os.WriteFile(chart.Path, []byte("other"), 0o600) },
		"removed": func() error { return os.Remove(chart.Path) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if got := mustFind(t, store, source); got.Origin == "cache" || got.Digest != chart.Digest {
			t.Errorf("%s: %+v", name, got)
		}
		if got := mustFind(t, store, source); got.Origin != "cache" {
			t.Errorf("%s: not repaired", name)
		}
	}
}

// helm/helm#12647: a chart whose content changes under its version must not be installed.
func TestOtherDigestThanPinnedIsRefused(t *testing.T) {
	archive := archiveOf(t, "queue", "1.2.0", "published again")
	pinned := digestOfBytes(archiveOf(t, "queue", "1.2.0", "one"))
	for name, indexed := range map[string]string{"by the index": digestOfBytes(archive), "by the archive": "", "though the index agrees": pinned} {
		t.Run(name, func(t *testing.T) {
			site := newSite(t)
			store := newStore(t, "")
			source := site.publish(archive, "queue-1.2.0.tgz", indexed)
			source.Digest = pinned
			_, err := store.Find(t.Context(), source)
			var other *DigestError
			if !errors.As(err, &other) || other.Promised != pinned || other.Got != digestOfBytes(archive) {
				t.Fatalf("got %v", err)
			}
			wantError(t, err, pinned, digestOfBytes(archive), source.Repository, "pin its digest")
			wantEmpty(t, store.dir)
		})
	}
}

func TestArchiveThatItsIndexDenies(t *testing.T) {
	site := newSite(t)
	store := newStore(t, "")
	source := site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", "sha256:"+strings.Repeat("0", 64))
	_, err := store.Find(t.Context(), source)
	wantError(t, err, "the repository's index says sha256:000")
	wantEmpty(t, store.dir)
}

func TestErrorsOfRepository(t *testing.T) {
	tests := map[string]struct {
		change func(*site, *Source)
		want   string
	}{
		"no such chart":       {func(_ *site, s *Source) { s.Name = "absent" }, "has no chart of this name"},
		"no such version":     {func(_ *site, s *Source) { s.Version = "7.7.7" }, "9.9.9, 1.2.0"},
		"no repository there": {func(_ *site, s *Source) { s.Repository += "/elsewhere" }, "nothing is there"},
		"no archive there":    {func(s *site, _ *Source) { s.put("/stable/queue-1.2.0.tgz", nil) }, "nothing is there"},
		"a page for an index": {func(s *site, _ *Source) { s.put("/stable/index.yaml", []byte("<html>\n<p>Log in: now</p>")) }, "not the index"},
		"an empty index":      {func(s *site, _ *Source) { s.put("/stable/index.yaml", []byte("apiVersion: v1\nentries: {}\n")) }, "has no chart of this name"},
		"a page for a chart":  {func(s *site, _ *Source) { s.put("/stable/queue-1.2.0.tgz", []byte("<html>Log in</html>")) }, "not a chart archive"},
		"half a chart": {func(s *site, _ *Source) {
			s.put("/stable/queue-1.2.0.tgz", archiveOf(t, "queue", "1.2.0", "one")[:100])
		}, "incomplete or damaged"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			site := newSite(t)
			store := newStore(t, "")
			source := site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", "")
			test.change(site, &source)
			_, err := store.Find(t.Context(), source)
			wantError(t, err, test.want, source.Name+" "+source.Version+" of "+source.Repository)
			wantEmpty(t, store.dir)
		})
	}
}

func TestFindsAtOnceFetchOnce(t *testing.T) {
	site := newSite(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	site.fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, ".tgz") {
			close(arrived) // a second fetch would panic
			<-release
		}
		return false
	}
	store := newStore(t, "")
	source := site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", "")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := store.Find(t.Context(), source); err != nil {
				t.Error(err)
			}
		})
	}
	<-arrived
	waitFor(t, func() bool { return store.flights.waiters() == 20 })
	close(release)
	all.Wait()
	if got := site.total(); got != 2 {
		t.Errorf("%d requests for 20 finds, want the index and the archive", got)
	}
}

func (f *flights) waiters() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := 0
	for _, current := range f.running {
		sum += current.waiting
	}
	return sum
}

// Two stores stand for two processes: they share nothing but the folder.
func TestTwoProcessesShareACache(t *testing.T) {
	site := newSite(t)
	first := newStore(t, "")
	second := newStore(t, "")
	second.dir = first.dir
	source := site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", "")
	source.Digest = digestOfBytes(archiveOf(t, "queue", "1.2.0", "one"))
	var all sync.WaitGroup
	for range 10 {
		for _, store := range []*Store{first, second} {
			all.Go(func() {
				chart, err := store.Find(t.Context(), source)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := digestOf(chart.Path); err != nil || got != source.Digest {
					t.Errorf("%s, %v", got, err)
				}
			})
		}
	}
	all.Wait()
	if left, _ := filepath.Glob(filepath.Join(first.dir, partialPrefix+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func wantEmpty(t testing.TB, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("the cache holds %v", left)
	}
}
