// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folderOf writes files, given as pairs of name and content.
func folderOf(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFolderHasADigestOverItsFiles(t *testing.T) {
	store := newStore(t, "")
	digest := func(files ...string) string {
		dir := folderOf(t, files...)
		chart := mustFind(t, store, Source{Path: dir})
		if !chart.Dir || chart.Path != dir {
			t.Errorf("got %+v", chart)
		}
		return chart.Digest
	}
	base := digest("Chart.yaml", "name: queue", "templates/a.yaml", "a")
	if same := digest("templates/a.yaml", "a", "Chart.yaml", "name: queue"); same != base {
		t.Error("the same files have another digest")
	}
	for change, other := range map[string]string{
		"content":        digest("Chart.yaml", "name: queue", "templates/a.yaml", "b"),
		"a name":         digest("Chart.yaml", "name: queue", "templates/b.yaml", "a"),
		"a further file": digest("Chart.yaml", "name: queue", "templates/a.yaml", "a", "values.yaml", ""),
		"a border":       digest("Chart.yaml", "name: queu", "templates/a.yaml", "ea"),
	} {
		if other == base {
			t.Errorf("%s makes no difference", change)
		}
	}
	_, err := store.Find(t.Context(), Source{Path: folderOf(t, "Chart.yaml", "name: queue"), Digest: base})
	wantError(t, err, base, "is pinned")
}

func TestLinksInAFolderCountAsTheirContent(t *testing.T) {
	store := newStore(t, "")
	plain := folderOf(t, "Chart.yaml", "name: queue", "crds/a.yaml", "a")
	linked := folderOf(t, "Chart.yaml", "name: queue")
	if err := os.Symlink(filepath.Join(plain, "crds"), filepath.Join(linked, "crds")); err != nil {
		t.Fatal(err)
	}
	if mustFind(t, store, Source{Path: plain}).Digest != mustFind(t, store, Source{Path: linked}).Digest {
		t.Error("a link to a folder does not count as its files")
	}
	if err := os.Symlink(linked, filepath.Join(linked, "again")); err != nil {
		t.Fatal(err)
	}
	_, err := store.Find(t.Context(), Source{Path: linked})
	wantError(t, err, "lead back")
}

func TestArchiveIsTakenIntoTheCache(t *testing.T) {
	archive := archiveOf(t, "queue", "1.2.0", "one")
	path := filepath.Join(folderOf(t, "queue.tgz", string(archive)), "queue.tgz")
	store := newStore(t, "")
	chart := mustFind(t, store, Source{Path: path})
	if chart.Dir || chart.Path != store.archive(digestOfBytes(archive)) {
		t.Errorf("got %+v", chart)
	}
	// What stands at the path counts, also where the pinned one is in the cache.
	if err := os.WriteFile(path, archiveOf(t, "queue", "1.2.0", "two"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := store.Find(t.Context(), Source{Path: path, Digest: chart.Digest})
	wantError(t, err, chart.Digest, "is pinned")
}

func TestErrorsOfPaths(t *testing.T) {
	store := newStore(t, "")
	for want, path := range map[string]string{
		"no such file":        filepath.Join(t.TempDir(), "absent"),
		"no chart":            t.TempDir(),
		"not a chart archive": filepath.Join(folderOf(t, "queue.tgz", "text"), "queue.tgz"),
	} {
		_, err := store.Find(t.Context(), Source{Path: path})
		wantError(t, err, want, path)
	}
}

func TestCacheThatCannotBeWritten(t *testing.T) {
	site := newSite(t)
	source := site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", "")
	store := newStore(t, "")
	store.dir = filepath.Join(folderOf(t, "file", ""), "file", "cache")
	_, err := store.Find(t.Context(), source)
	wantError(t, err, "charts.cache_dir")
	store.dir = ""
	_, err = store.Find(t.Context(), source)
	wantError(t, err, "charts.cache_dir", "XDG_CACHE_HOME")
	if strings.Contains(err.Error(), "attempts") {
		t.Errorf("a full disk was tried again: %v", err)
	}
}
