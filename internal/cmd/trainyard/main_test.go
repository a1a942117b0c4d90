// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/mirror"
)

// small is a catalogue of one entry.
type small struct{ entry mirror.Entry }

func (small) Names() []string { return []string{"queue"} }

func (s small) Entry(name string) (mirror.Entry, bool) { return s.entry, name == "queue" }

// execute runs the program and gives what it wrote.
func execute(t *testing.T, entries entries, in string, arguments ...string) (stdout, stderr string, err error) {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir()) // no credentials of whoever runs the test
	var out, errors bytes.Buffer
	command := newCommand(entries)
	command.SetArgs(arguments)
	command.SetIn(strings.NewReader(in))
	command.SetOut(&out)
	command.SetErr(&errors)
	err = command.ExecuteContext(context.Background())
	return out.String(), errors.String(), err
}

func chartOf(name string) chartstore.Source {
	return chartstore.Source{Repository: "https://charts.example.com", Name: name, Version: "1.2.0", Digest: "sha256:" + strings.Repeat("0", 64)}
}

func TestList(t *testing.T) {
	entries := small{mirror.Entry{Chart: chartOf("queue"), Images: []string{"nginx:1.29"}}}
	plan := `{"format_version":"1.2","planned_values":{"root_module":{"resources":[
		{"address":"trainyard_component.own","type":"trainyard_component","values":{"chart":{"registry":"oci://ghcr.io/example","name":"own","version":"1.0.0"}}}]}}}`
	stdout, stderr, err := execute(t, entries, plan, "mirror", "list", "--all", "--plan", "-", "--image", "ghcr.io/example/own:v1")
	if err != nil {
		t.Fatal(err)
	}
	want := "chart https://charts.example.com queue 1.2.0 sha256:" + strings.Repeat("0", 64) + "\n" +
		"chart oci://ghcr.io/example own 1.0.0\n" +
		"image docker.io/library/nginx:1.29\nimage ghcr.io/example/own:v1\n"
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(stderr, "note: trainyard_component.own: the images") {
		t.Errorf("notes: %q", stderr)
	}
	stdout, _, err = execute(t, entries, "", "mirror", "list", "--catalog", "queue", "--json")
	var list struct{ Charts, Images []any }
	if err != nil || json.Unmarshal([]byte(stdout), &list) != nil || len(list.Charts) != 1 || len(list.Images) != 1 {
		t.Errorf("%v\n%s", err, stdout)
	}
}

func TestWrongArguments(t *testing.T) {
	dir := t.TempDir()
	for arguments, want := range map[string]string{
		"mirror list":                                                    "say what is needed, with --catalog",
		"mirror list --catalog absent":                                   `no "absent"`,
		"mirror list --plan absent.json":                                 "no such file",
		"mirror list --image x:y:z":                                      `image "x:y:z"`,
		"mirror pull --all":                                              `"to" not set`,
		"mirror pull --all --to " + dir + " --platform /":                "--platform",
		"mirror push --from " + dir + " --to registry.example.com":       "not the address of an OCI registry",
		"mirror push --from " + dir + " --to oci://registry.example.com": "holds no mirror",
		"catalog refresh --dir " + dir:                                   "holds no catalogue",
		"catalog refresh absent --dir " + dir:                            "absent.yaml",
	} {
		_, _, err := execute(t, small{}, "", strings.Fields(arguments)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

func TestPullAndPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	image, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(host + "/example/queue:v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, image); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, stderr, err := execute(t, small{}, "", "mirror", "pull", "--to", dir, "--cache", t.TempDir(), "--image", ref.Name()+","+host+"/example/absent:v1")
	if err == nil || !strings.Contains(err.Error(), "1 of 2 could not be had") || !strings.Contains(stderr, "queue:v1: fetched") {
		t.Errorf("%v\n%s", err, stderr)
	}
	_, stderr, err = execute(t, small{}, "", "mirror", "push", "--from", dir, "--to", "oci://"+host+"/mirror")
	if err != nil || !strings.Contains(stderr, "queue:v1: loaded") {
		t.Errorf("%v\n%s", err, stderr)
	}
	mirrored, err := name.ParseReference(host + "/mirror/" + strings.Replace(host, ":", "_", 1) + "/example/queue:v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remote.Head(mirrored); err != nil {
		t.Error(err)
	}
}

// Every entry of the catalogue must be a source that chartstore takes.
func TestCatalogIsMirrorable(t *testing.T) {
	need, err := mirror.OfCatalog(embedded{})
	if err != nil {
		t.Fatal(err)
	}
	if need.Jobs() < 20 {
		t.Errorf("only %d charts and images", need.Jobs())
	}
	for _, chart := range need.Charts {
		for _, violation := range chart.Check() {
			t.Errorf("%s: %v", chart, violation)
		}
	}
}

const entryFile = `name: queue
title: Queue
home: https://queue.example.com
source:
  repository: %s
  name: queue
  # Pinned by hand.
  version: 1.2.0
  digest: sha256:%s
license: Apache-2.0
kubernetes: ">=1.25.0-0"
namespace: queue
release: queue
images:
  - default: ghcr.io/example/queue:v1.2.0 # moves with the chart
  - {default: "ghcr.io/example/queue-agent:v1.2.0"}
  - default: ghcr.io/example/other:1.2.0.1
`

func TestRefreshRewritesVersionAndDigest(t *testing.T) {
	old, fresh := strings.Repeat("a0", 32), strings.Repeat("b1", 32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "apiVersion: v1\nentries:\n  queue:\n  - {version: 2.0.0, digest: %s}\n  - {version: 1.3.0, digest: %s}\n  - {version: 1.2.0, digest: %s}\n", old, fresh, old)
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "queue.yaml")
	before := fmt.Sprintf(entryFile, server.URL, old)
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, err := execute(t, small{}, "", "catalog", "refresh", "--dir", dir)
	if err != nil || !strings.Contains(stdout, "queue: version: 1.2.0 -> 1.3.0") {
		t.Fatalf("%v\n%s", err, stdout)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("version: 1.2.0", "version: 1.3.0", old, fresh, "queue:v1.2.0", "queue:v1.3.0", "agent:v1.2.0", "agent:v1.3.0").Replace(before)
	if diff := cmp.Diff(want, string(after)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	if stdout, _, err = execute(t, small{}, "", "catalog", "refresh", "queue", "--dir", dir); err != nil || stdout != "" {
		t.Errorf("a second refresh: %v\n%s", err, stdout)
	}
}

func TestRefreshPinsWhatHadNoDigest(t *testing.T) {
	before, digest := strings.Replace(entryFile, "  digest: sha256:%s\n", "  unpinned: The index was not at hand.\n", 1), ""
	var artifact bytes.Buffer
	compressed := gzip.NewWriter(&artifact)
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".tgz") {
			_, _ = w.Write(artifact.Bytes())
			return
		}
		_, _ = io.WriteString(w, "apiVersion: v1\nentries:\n  queue:\n  - {version: 1.2.0, urls: [queue.tgz]}\n")
	}))
	defer server.Close()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	file := filepath.Join(dir, "queue.yaml")
	before = fmt.Sprintf(before, server.URL)
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, err := execute(t, small{}, "", "catalog", "refresh", "--dir", dir)
	if err != nil {
		t.Fatal(err)
	}
	_, digest, _ = strings.Cut(strings.TrimSpace(stdout), "archive: ")
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(before, "  unpinned: The index was not at hand.\n", "", 1)
	want = strings.Replace(want, "version: 1.2.0\n", "version: 1.2.0\n  digest: "+digest+"\n", 1)
	if diff := cmp.Diff(want, string(after)); diff != "" || len(digest) != len("sha256:")+64 {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}
