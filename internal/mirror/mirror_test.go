// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/progress"
)

// From the origin through a folder into a registry, from which a chart is then found while
// its origin is gone.
func TestFromOriginToMirror(t *testing.T) {
	origin, inside := newSite(t), newSite(t)
	chart := origin.publish(t, "queue")
	single, singleDigest := origin.image(t, "example/queue:v1")
	many, manyDigest := origin.image(t, "example/agent:v1", "linux/amd64", "linux/arm64")
	dir := t.TempDir()
	if report, err := pull(t, newPull(t), dir, Need{Charts: []chartstore.Source{chart}, Images: []string{single, many, many + "@" + manyDigest}}); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	origin.Close()

	mirror := inside.host() + "/mirror"
	report, err := push(t, dir, mirror)
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	archive := archiveOf(t, "queue", "1.2.0+b7")
	for kind, place := range map[string]string{"registry": "oci://" + mirror, "folder": dir} {
		found, err := chartstore.New(t.TempDir(), place).Find(t.Context(), chart)
		if err != nil || found.Digest != digestOf(archive) {
			t.Errorf("%s: %+v, %v", kind, found, err)
		}
	}
	for image, digest := range map[string]string{single: singleDigest, many: manyDigest, many + "@" + manyDigest: manyDigest} {
		mirrored, err := catalog.MirrorImage(mirror, image)
		if err != nil {
			t.Fatal(err)
		}
		wantImage(t, mirrored, digest)
	}

	before := inside.count()
	if report, err = push(t, dir, mirror); err != nil || strings.Count(report, present) != 4 {
		t.Errorf("a second push: %v\n%s", err, report)
	}
	if sent := append(inside.since(before, "P"), inside.since(before, "GET /v2/mirror")...); len(sent) > 0 {
		t.Errorf("a second push sent %v", sent)
	}
}

func wantImage(t *testing.T, reference, digest string) {
	t.Helper()
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	got, err := remote.Get(ref)
	if err != nil {
		t.Errorf("%s: %v", reference, err)
		return
	}
	if got.Digest.String() != digest {
		t.Errorf("%s has the digest %s, want %s", reference, got.Digest, digest)
	}
	if got.MediaType.IsIndex() {
		index, err := got.ImageIndex()
		if err == nil {
			err = validate.Index(index)
		}
		if err != nil {
			t.Errorf("%s: %v", reference, err)
		}
	}
}

func TestFolderIsAnImageLayout(t *testing.T) {
	origin := newSite(t)
	image, digest := origin.image(t, "example/agent:v1", "linux/amd64", "linux/arm64")
	dir := t.TempDir()
	if _, err := pull(t, newPull(t), dir, Need{Images: []string{image}}); err != nil {
		t.Fatal(err)
	}
	path, err := layout.FromPath(filepath.Join(dir, "images"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 1 || manifest.Manifests[0].Digest.String() != digest || manifest.Manifests[0].Annotations[refName] != image {
		t.Errorf("got %+v", manifest.Manifests)
	}
}

func TestOnePlatformOfMany(t *testing.T) {
	origin := newSite(t)
	image, digest := origin.image(t, "example/agent:v1", "linux/amd64", "linux/arm64")
	whole, some := t.TempDir(), t.TempDir()
	need := Need{Images: []string{image}}
	if _, err := pull(t, newPull(t), whole, need); err != nil {
		t.Fatal(err)
	}
	chosen := newPull(t)
	chosen.Platform = &v1.Platform{OS: "linux", Architecture: "arm64"}
	if _, err := pull(t, chosen, some, need); err != nil {
		t.Fatal(err)
	}
	if all, part := len(filesIn(t, whole)), len(filesIn(t, some)); part >= all {
		t.Errorf("%d files of one platform, %d of all", part, all)
	}
	// What is named by its digest is taken whole, for a part has another digest.
	if _, err := pull(t, chosen, some, Need{Images: []string{image + "@" + digest}}); err != nil {
		t.Fatal(err)
	}
	chosen.Platform = &v1.Platform{OS: "linux", Architecture: "s390x"}
	_, err := pull(t, chosen, some, need)
	wantError(t, err, "it is not made for linux/s390x", "1 of 1")
}

func TestInterruptedPullGoesOn(t *testing.T) {
	origin := newSite(t)
	chart := origin.publish(t, "queue")
	first, _ := origin.image(t, "example/a:v1")
	second, _ := origin.image(t, "example/b:v1")
	dir := t.TempDir()
	need := Need{Charts: []chartstore.Source{chart}, Images: []string{first, second}}
	ctx, cancel := context.WithCancel(t.Context())
	blobs := 0
	origin.misbehave(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/example/b/blobs/") {
			return false
		}
		if blobs++; blobs < 2 {
			return false
		}
		w.Header().Set("Content-Length", "9999") // half of it, then the user's Ctrl-C
		_, _ = w.Write([]byte("half"))
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
		return true
	})
	var out strings.Builder
	err := newPull(t).Into(ctx, dir, need, progress.Lines(&out, 3))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	wantError(t, err, "interrupted at image", "goes on from there")
	if err := os.WriteFile(filepath.Join(dir, "images", "blobs", "sha256", "killed"+partialSuffix), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}

	origin.misbehave(nil)
	before := origin.count()
	report, err := pull(t, newPull(t), dir, need)
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	if strings.Count(report, present) != 2 || strings.Count(report, fetched) != 1 {
		t.Errorf("report:\n%s", report)
	}
	if again := append(origin.since(before, "GET /v2/example/a/blobs"), origin.since(before, "GET /charts")...); len(again) > 0 {
		t.Errorf("fetched again: %v", again)
	}
	if rest := origin.since(before, "GET /v2/example/b/blobs"); len(rest) != 2 { // of a configuration and two layers
		t.Errorf("fetched of the interrupted image: %v", rest)
	}
	for _, file := range filesIn(t, dir) {
		if strings.HasSuffix(file, partialSuffix) {
			t.Errorf("left behind: %s", file)
		}
	}
}

func TestDamageInTheFolderIsRepairedByPullAndRefusedByPush(t *testing.T) {
	origin, inside := newSite(t), newSite(t)
	chart := origin.publish(t, "queue")
	image, digest := origin.image(t, "example/a:v1")
	need := Need{Charts: []chartstore.Source{chart}, Images: []string{image}}
	dir := t.TempDir()
	if _, err := pull(t, newPull(t), dir, need); err != nil {
		t.Fatal(err)
	}
	file, err := chartstore.MirrorFile(chart)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, file), layerIn(t, dir), filepath.Join(dir, "images", "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))} {
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := append([]byte("x"), good[1:]...)
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := push(t, dir, inside.host()+"/mirror")
		wantError(t, err, "1 of 2 could not be had", "changed or damaged", digestOf(bad), "trainyard mirror pull")
		if sent := inside.since(0, "PUT /v2/mirror/127"); path != filepath.Join(dir, file) && len(sent) > 0 {
			t.Errorf("a damaged image was sent: %v\n%s", sent, report)
		}
		if report, err := pull(t, newPull(t), dir, need); err != nil || strings.Count(report, fetched) != 1 {
			t.Errorf("%v\n%s", err, report)
		}
		inside = newSite(t)
	}
	if err := os.Remove(layerIn(t, dir)); err != nil {
		t.Fatal(err)
	}
	_, err = push(t, dir, inside.host()+"/mirror")
	wantError(t, err, "lacks a part")
}

// layerIn is the largest blob of a folder.
func layerIn(t *testing.T, dir string) (largest string) {
	t.Helper()
	var most int64
	for _, file := range filesIn(t, filepath.Join(dir, "images", "blobs")) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			largest, most = file, info.Size()
		}
	}
	return largest
}

func TestOneFailureLeavesTheOthersAlone(t *testing.T) {
	origin := newSite(t)
	chart := origin.publish(t, "queue")
	absent, other := chart, chart
	absent.Name, other.Version = "absent", "7.7.7"
	image, _ := origin.image(t, "example/a:v1")
	pinned := chart
	pinned.Name, pinned.Digest = "quota", "sha256:"+strings.Repeat("0", 64)
	origin.publish(t, "quota")
	dir := t.TempDir()
	report, err := pull(t, newPull(t), dir, Need{Charts: []chartstore.Source{absent, chart, other, pinned}, Images: []string{image, origin.host() + "/example/absent:v1"}})
	var failures *Failures
	if !errors.As(err, &failures) || len(failures.Failed) != 4 || failures.Total != 6 {
		t.Fatalf("%v\n%s", err, report)
	}
	wantError(t, err, "4 of 6", "no chart of this name", "does not have this version", "nothing is there", pinned.Digest+" is pinned")
	need, err := Contents(dir)
	if err != nil {
		t.Fatal(err)
	}
	chart.Digest = digestOf(archiveOf(t, "queue", "1.2.0+b7"))
	if diff := cmp.Diff(Need{Charts: []chartstore.Source{chart}, Images: []string{image}}, need); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}

// logins is what "docker login" has stored, by host.
type logins map[string]authn.AuthConfig

func (l logins) Resolve(target authn.Resource) (authn.Authenticator, error) {
	return authn.FromConfig(l[target.RegistryStr()]), nil
}

func TestChartRepositoryThatWantsALogin(t *testing.T) {
	origin := newSite(t)
	chart := origin.publish(t, "queue")
	origin.misbehave(func(w http.ResponseWriter, r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		if user == "reader" && password == "secret" {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	need := Need{Charts: []chartstore.Source{chart}}
	p := newPull(t)
	_, err := pull(t, p, t.TempDir(), need)
	wantError(t, err, "401")
	p.Keychain = logins{origin.host(): {Username: "reader", Password: "secret"}}
	if report, err := pull(t, p, t.TempDir(), need); err != nil {
		t.Errorf("%v\n%s", err, report)
	}
}

// A registry may hold a login for each path, an HTTP repository has one for its host.
func TestWhereALoginIsLookedFor(t *testing.T) {
	seen := asked{}
	for _, source := range []chartstore.Source{
		{Registry: "oci://registry.example/team/charts/"}, {Repository: "https://charts.example:8443/Stable"},
	} {
		if credentials, err := credentialsFor(&seen, source); err != nil || credentials != nil {
			t.Errorf("%+v, %v", credentials, err)
		}
	}
	if diff := cmp.Diff(asked{"registry.example/team/charts", "charts.example:8443"}, seen); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// asked notes what is looked for, and knows nobody.
type asked []string

func (a *asked) Resolve(target authn.Resource) (authn.Authenticator, error) {
	*a = append(*a, target.String())
	return authn.Anonymous, nil
}

func TestFaultsOfRegistriesThatPass(t *testing.T) {
	origin, inside := newSite(t), newSite(t)
	image, digest := origin.image(t, "example/a:v1")
	seen := map[string]bool{}
	once := func(w http.ResponseWriter, r *http.Request) bool {
		key := r.Method + r.URL.Path
		if seen[key] || r.URL.Path == "/v2/" {
			return false
		}
		seen[key] = true
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	origin.misbehave(once)
	dir := t.TempDir()
	if report, err := pull(t, newPull(t), dir, Need{Images: []string{image}}); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	if report, err := push(t, dir, inside.host()+"/mirror"); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	mirrored, err := catalog.MirrorImage(inside.host()+"/mirror", image)
	if err != nil {
		t.Fatal(err)
	}
	wantImage(t, mirrored, digest)
}

func TestContentsOfWhatIsNoMirror(t *testing.T) {
	_, err := Contents(t.TempDir())
	wantError(t, err, "holds no mirror")
	dir := t.TempDir()
	for text, want := range map[string]string{"{": "Remove the file", `{"format":2}`: "has the format 2"} {
		if err := os.WriteFile(filepath.Join(dir, recordFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Contents(dir)
		wantError(t, err, want)
	}
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
