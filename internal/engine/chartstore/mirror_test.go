// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMirrorPlace(t *testing.T) {
	tests := map[string]struct {
		source Source
		want   string
	}{
		"a repository":            {Source{Repository: "https://charts.example.com/stable/", Name: "queue"}, "https/charts.example.com/stable/queue"},
		"a repository at a root":  {Source{Repository: "https://charts.example.com", Name: "queue"}, "https/charts.example.com/queue"},
		"a registry":              {Source{Registry: "oci://ghcr.io/example/charts", Name: "queue"}, "oci/ghcr.io/example/charts/queue"},
		"a port":                  {Source{Repository: "http://127.0.0.1:8879", Name: "queue"}, "http/127.0.0.1_8879/queue"},
		"capitals":                {Source{Repository: "https://charts.example.com/Stable", Name: "queue"}, "https/charts.example.com/stable__90ee305714d71033/queue"},
		"a part that looks spelt": {Source{Repository: "https://charts.example.com/a__b", Name: "queue"}, "https/charts.example.com/a-b__63e5c1c455d01d5c/queue"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := MirrorPlace(test.source)
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("place (-want +got):\n%s(%v)", diff, err)
			}
		})
	}
}

func TestMirrorPlacesNeverMeet(t *testing.T) {
	places := map[string]string{}
	for _, address := range []string{
		"https://a.example.com/x", "http://a.example.com/x", "oci://a.example.com/x", "https://a.example.com:443/x", "https://a.example.com_443/x",
		"https://a.example.com/X", "https://a.example.com/x~", "https://a.example.com/~x", "https://a.example.com/x--", "https://a.example.com/x/queue",
		"https://a.example.com/x%20y", "https://a.example.com/x-y", "https://a.example.com/x_y", "https://a.example.com/x__y", "https://a.example.com",
		"https://[::1]:443/x", "https://b.example.com/a.example.com/x",
	} {
		source := Source{Name: "queue", Version: "1.0.0"}
		if strings.HasPrefix(address, "oci") {
			source.Registry = address
		} else {
			source.Repository = address
		}
		place, err := MirrorPlace(source)
		if err != nil {
			t.Fatal(err)
		}
		if other, met := places[place]; met {
			t.Errorf("%s and %s are both at %s", address, other, place)
		}
		places[place] = address
		if err := checkRegistry("oci://registry.example.com/" + place); err != nil {
			t.Errorf("no registry takes it: %v", err)
		}
	}
}

// put is how a chart comes into a mirror.
type put func(Source, []byte)

// mirrors starts the three kinds of mirror.
var mirrors = map[string]func(testing.TB) (mirror string, put put){
	"a folder": folderMirror, "an HTTP server": httpMirror, "a registry": registryMirror,
}

func folderMirror(t testing.TB) (string, put) {
	t.Helper()
	dir := t.TempDir()
	return dir, func(source Source, archive []byte) {
		path := filepath.Join(dir, mustFile(t, source))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, archive, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func httpMirror(t testing.TB) (string, put) {
	t.Helper()
	site := newSite(t)
	return site.URL + "/mirror", func(source Source, archive []byte) {
		site.put("/mirror/"+mustFile(t, source), archive)
	}
}

func registryMirror(t testing.TB) (string, put) {
	t.Helper()
	_, host := newRegistry(t)
	return "oci://" + host + "/mirror", func(source Source, archive []byte) {
		reference, err := MirrorReference("oci://"+host+"/mirror", source)
		if err != nil {
			t.Fatal(err)
		}
		pushChart(t, reference, archive)
	}
}

func mustFile(t testing.TB, source Source) string {
	t.Helper()
	file, err := MirrorFile(source)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestMirrorAnswersInsteadOfTheOrigin(t *testing.T) {
	for name, start := range mirrors {
		t.Run(name, func(t *testing.T) {
			mirror, put := start(t)
			origin := newSite(t) // must hear nothing
			for _, source := range []Source{
				{Repository: origin.URL + "/Stable", Name: "queue", Version: "1.2.0+b7"},
				{Registry: "oci://" + strings.TrimPrefix(origin.URL, "http://") + "/stable", Name: "queue", Version: "1.2.0"},
			} {
				archive := archiveOf(t, source.Name, source.Version, source.Repository+source.Registry)
				put(source, archive)
				chart := mustFind(t, newStore(t, mirror), source)
				if chart.Digest != digestOfBytes(archive) || !strings.Contains(chart.Origin, "queue") {
					t.Errorf("%s: %+v", source, chart)
				}
				source.Digest = "sha256:" + strings.Repeat("0", 64)
				store := newStore(t, mirror)
				_, err := store.Find(t.Context(), source)
				wantError(t, err, "is pinned", source.Digest, chart.Digest, mirror)
				wantEmpty(t, store.dir)
			}
			_, err := newStore(t, mirror).Find(t.Context(), Source{Repository: origin.URL, Name: "absent", Version: "1.0.0"})
			wantError(t, err, "trainyard mirror pull", mirror)
			if got := origin.total(); got != 0 {
				t.Errorf("the origin heard %d requests", got)
			}
		})
	}
}

func TestMirrorHearsNoCredentialsOfTheOrigin(t *testing.T) {
	site := newSite(t)
	source := Source{Repository: "https://charts.example.com", Name: "queue", Version: "1.2.0", Credentials: canary}
	site.put("/https/charts.example.com/queue/1.2.0.tgz", archiveOf(t, "queue", "1.2.0", "one"))
	store := newStore(t, site.URL)
	mustFind(t, store, source)
	wantAuthorization(t, site, "/https/charts.example.com/queue/1.2.0.tgz", false)
	store.MirrorCredentials = &Credentials{Username: "mirror", Password: "reader"}
	mustFind(t, store, source)
	wantAuthorization(t, site, "/https/charts.example.com/queue/1.2.0.tgz", true)
}

func TestPathsNeedNoMirror(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.tgz")
	archive := archiveOf(t, "queue", "1.2.0", "one")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	chart := mustFind(t, newStore(t, "oci://registry.invalid/mirror"), Source{Path: path})
	if chart.Digest != digestOfBytes(archive) || chart.Origin != path {
		t.Errorf("got %+v", chart)
	}
}

func TestCheckMirror(t *testing.T) {
	for mirror, good := range map[string]bool{
		"": true, "/srv/mirror": true, "mirror": true, "oci://registry.example.com/mirror": true, "https://files.example.com/mirror": true,
		"http://127.0.0.1:8080": true, "http://files.example.com": false, "oci://": false, "ftp://files.example.com": false, "https://me:secret@files.example.com": false,
	} {
		if err := CheckMirror(mirror); (err == nil) != good {
			t.Errorf("%q: %v", mirror, err)
		}
	}
}
