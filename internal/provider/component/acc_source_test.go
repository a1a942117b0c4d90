// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

// from writes a configuration of one release whose chart comes from elsewhere than a directory.
func (s *stage) from(provider, chart, arguments string) string {
	return fmt.Sprintf(`
provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig }
  owner   = %q
  %s
}

resource "trainyard_component" "this" {
  name      = "app"
  namespace = %q
  chart     = %s
  %s
}
`, s.owner, provider, s.ns, chart, arguments)
}

func (s *stage) cache() (dir, provider string) {
	dir = filepath.Join(s.t.TempDir(), "charts")
	return dir, fmt.Sprintf("charts = { cache_dir = %q }", dir)
}

func TestAccChartOfARepository(t *testing.T) {
	s := prepare(t)
	shop := newShop(t)
	archive := pack(t, s.chart("basic"), "basic")
	shop.publish("basic", "1.0.0", archive)
	cache, provider := s.cache()
	chart := fmt.Sprintf(`{ repository = %q, name = "basic", version = "1.0.0" }`, shop.URL)
	w := s.applied(s.from(provider, chart, "values = { greeting = \"hi\" }"))
	if got := w.attributes()["chart_digest"]; got != digestOf(archive) {
		t.Errorf("recorded %v, want %s", got, digestOf(archive))
	}

	t.Log("unchanged, the release asks nothing of the repository, with a cache or without")
	before := shop.requests.Load()
	w.Settled()
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	w.Settled()
	if got := shop.requests.Load(); got != before {
		t.Errorf("%d requests for a plan without changes", got-before)
	}

	t.Log("the repository is down: a change fails, and nothing is lost")
	shop.set(func() { shop.down = true })
	state := w.State()
	w.Write(s.from(provider, chart, "values = { greeting = \"hello\" }\n  timeouts = { read = \"5s\" }"))
	has(t, w.Must(w.Apply(), acctest.Failed).Text, "503", shop.URL, ": chart = {")
	if string(state) != string(w.State()) {
		t.Error("the state has changed")
	}

	t.Log("the repository has put another chart under the same version")
	shop.set(func() { shop.down = false })
	shop.publish("basic", "1.0.0", pack(t, changed(s, "basic"), "basic"))
	has(t, w.Must(w.Apply(), acctest.Failed).Text, digestOf(archive), "digest")

	t.Log("the right one is back")
	shop.publish("basic", "1.0.0", archive)
	w.Write(s.from(provider, chart, "values = { greeting = \"hello\" }"))
	w.settle()
	w.Must(w.Destroy(), 0)
}

func TestAccChartOfARegistry(t *testing.T) {
	s := prepare(t)
	archive := pack(t, s.chart("basic"), "basic")
	registry := newChartRegistry(t, "charts/basic:1.0.0", archive)
	_, provider := s.cache()
	chart := func(digest string) string {
		return fmt.Sprintf(`{ registry = "oci://%s/charts", name = "basic", version = "1.0.0", digest = %q }`, registry, digest)
	}
	wrong := "sha256:" + strings.Repeat("0", 64)
	w := s.workspace(s.from(provider, chart(wrong), ""))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, wrong, digestOf(archive))
	w.Write(s.from(provider, chart(digestOf(archive)), ""))
	w.settle()
	w.Must(w.Destroy(), 0)
}

func TestAccChartOfAMirror(t *testing.T) {
	s := prepare(t)
	shop := newShop(t) // never asked
	archive := pack(t, s.chart("basic"), "basic")
	source := chartstore.Source{Repository: shop.URL, Name: "basic", Version: "1.0.0"}
	file, err := chartstore.MirrorFile(source)
	if err != nil {
		t.Fatal(err)
	}
	mirror := t.TempDir()
	at := filepath.Join(mirror, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	provider := fmt.Sprintf("charts = { cache_dir = %q, mirror = %q }", t.TempDir(), mirror)
	chart := fmt.Sprintf(`{ repository = %q, name = "basic", version = "1.0.0", digest = %q }`, shop.URL, digestOf(archive))
	w := s.applied(s.from(provider, chart, ""))
	w.Must(w.Destroy(), 0)
	if got := shop.requests.Load(); got != 0 {
		t.Errorf("%d requests to the origin in spite of the mirror", got)
	}
}

func TestAccCredentialsDoNotFollow(t *testing.T) {
	s := prepare(t)
	elsewhere, shop := newShop(t), newShop(t)
	archive := pack(t, s.chart("basic"), "basic")
	elsewhere.publish("basic", "1.0.0", archive)
	shop.publish("basic", "1.0.0", archive)
	shop.set(func() {
		shop.chartURL = elsewhere.URL + "/basic-1.0.0.tgz"
		shop.user, shop.password = "reader", "canary-repository-password"
	})
	_, cache := s.cache()
	host := strings.TrimPrefix(shop.URL, "http://")
	provider := strings.Replace(cache, "{", fmt.Sprintf("{ credentials = { %q = { username = \"reader\", password = %q } }, ", host, shop.password), 1)
	w := s.applied(s.from(provider, fmt.Sprintf(`{ repository = %q, name = "basic", version = "1.0.0" }`, shop.URL), ""))
	if elsewhere.authorized.Load() > 0 {
		t.Error("the credentials went to another host")
	}
	if strings.Contains(string(w.State()), shop.password) {
		t.Error("the password is in the state")
	}
	w.Must(w.Destroy(), 0)
}

// changed is a chart of another content and the same version.
func changed(s *stage, name string) string {
	dir := s.chart(name)
	s.rewrite(filepath.Join(dir, "values.yaml"), "greeting: hello", "greeting: goodbye")
	return dir
}
