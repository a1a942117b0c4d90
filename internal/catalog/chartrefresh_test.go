// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefreshPicksTheNewestThatItMayFollow(t *testing.T) {
	index := func(versions ...string) (entries []IndexEntry) {
		for _, version := range versions {
			entries = append(entries, IndexEntry{Version: version})
		}
		return entries
	}
	for _, test := range []struct {
		name, version, follow string
		index                 []IndexEntry
		want                  string
	}{
		{"in any order", "1.2.0", "", index("1.9.0", "1.10.0", "1.3.0"), "1.10.0"},
		{"no other major version", "1.2.0", "", index("2.0.0", "1.2.1"), "1.2.1"},
		{"major versions before the first are one", "0.17.4", "", index("0.20.1", "1.0.0"), "0.20.1"},
		{"no pre-release", "1.2.0", "", index("1.3.0-rc.1", "1.2.0"), "1.2.0"},
		{"no older one", "1.2.0", "", index("1.1.0"), "1.2.0"},
		{"nothing withdrawn", "1.2.0", "", []IndexEntry{{Version: "1.3.0", Deprecated: true}}, "1.2.0"},
		{"the range that the entry names", "v1.19.9", "~1.19", index("v1.20.6", "v1.19.10"), "v1.19.10"},
		{"another major version where the range has it", "1.2.0", ">=1.2.0 <3", index("2.4.0", "3.0.0"), "2.4.0"},
		{"with and without a v", "v1.2.0", "", index("1.2.0"), "v1.2.0"},
		{"what is no version is passed over", "1.2.0", "", index("latest", "1.2.1"), "1.2.1"},
		{"an empty index", "1.2.0", "", nil, "1.2.0"},
		{"a range that does not parse", "1.2.0", "newest", index("1.3.0"), "1.2.0"},
		{"an entry without a chart", "", "", index("1.3.0"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			entry := Chart{Source: Source{Version: test.version, Follow: test.follow, Unpinned: "Nobody knows."}}
			got, changed := Refresh(entry, test.index)
			if got.Source.Version != test.want {
				t.Errorf("got version %q, want %q", got.Source.Version, test.want)
			}
			if moved := test.want != test.version; moved != (len(changed) > 0) {
				t.Errorf("from %q to %q it says %q", test.version, test.want, changed)
			}
		})
	}
}

func TestRefreshTakesDigests(t *testing.T) {
	old, other := "sha256:"+strings.Repeat("0", 64), "sha256:"+strings.Repeat("1", 64)
	for _, test := range []struct {
		name   string
		source Source
		index  IndexEntry
		want   Source
		change []string
	}{
		{
			"of a newer version",
			Source{Version: "1.0.0", Digest: old},
			IndexEntry{Version: "1.1.0", Digest: other},
			Source{Version: "1.1.0", Digest: other},
			[]string{"version: 1.0.0 -> 1.1.0", "digest: " + old + " -> " + other},
		},
		{
			"as indexes write them",
			Source{Version: "1.0.0", Unpinned: "Nobody knows."},
			IndexEntry{Version: "1.0.0", Digest: strings.TrimPrefix(other, "sha256:")},
			Source{Version: "1.0.0", Digest: other},
			[]string{"digest: none -> " + other},
		},
		{
			"never another of the version that is pinned",
			Source{Version: "1.0.0", Digest: old},
			IndexEntry{Version: "1.0.0", Digest: other},
			Source{Version: "1.0.0", Digest: old},
			[]string{"version 1.0.0 has another digest in the repository than the entry pins: " + other + ", not " + old +
				"; left as it is. Find out why before you take it"},
		},
		{
			"not the old one for a newer version",
			Source{Version: "1.0.0", Digest: old},
			IndexEntry{Version: "1.1.0"},
			Source{Version: "1.1.0", Unpinned: "The repository gives no digest of this version."},
			[]string{"version: 1.0.0 -> 1.1.0", "digest: " + old + " -> none"},
		},
		{
			"none that is not whole",
			Source{Version: "1.0.0", Digest: old},
			IndexEntry{Version: "1.0.0", Digest: "12ab"},
			Source{Version: "1.0.0", Digest: old},
			nil,
		},
		{
			"the reason stays where there is none",
			Source{Version: "1.0.0", Unpinned: "Nobody knows."},
			IndexEntry{Version: "1.1.0"},
			Source{Version: "1.1.0", Unpinned: "Nobody knows."},
			[]string{"version: 1.0.0 -> 1.1.0"},
		},
		{
			"nothing new",
			Source{Version: "1.0.0", Digest: old},
			IndexEntry{Version: "1.0.0", Digest: old},
			Source{Version: "1.0.0", Digest: old},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, changed := Refresh(Chart{Source: test.source}, []IndexEntry{test.index})
			if diff := cmp.Diff(test.want, got.Source); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.change, changed); diff != "" {
				t.Errorf("what changed, -want +got:\n%s", diff)
			}
		})
	}
}

func TestRefreshMovesImagesOfTheChartsVersion(t *testing.T) {
	entry := Chart{
		Source: Source{Version: "0.17.4", Unpinned: "Nobody knows."},
		Images: []Image{
			{Repository: "a", Default: "nvcr.io/nvidia/k8s-device-plugin:v0.17.4"},
			{Repository: "b", Default: "registry.k8s.io/nfd/node-feature-discovery:v0.15.3"},
			{Repository: "c", Default: "ghcr.io/a/c:0.17.4"},
			{Repository: "d", Default: "ghcr.io/a/d:v0.17.4@" + someDigest},
		},
	}
	got, changed := Refresh(entry, []IndexEntry{{Version: "0.20.1"}})
	var images []string
	for _, image := range got.Images {
		images = append(images, image.Default)
	}
	want := []string{
		"nvcr.io/nvidia/k8s-device-plugin:v0.20.1",
		"registry.k8s.io/nfd/node-feature-discovery:v0.15.3",
		"ghcr.io/a/c:0.20.1",
		"ghcr.io/a/d:v0.17.4@" + someDigest,
	}
	if diff := cmp.Diff(want, images); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"version: 0.17.4 -> 0.20.1",
		"image: nvcr.io/nvidia/k8s-device-plugin:v0.17.4 -> nvcr.io/nvidia/k8s-device-plugin:v0.20.1",
		"image: ghcr.io/a/c:0.17.4 -> ghcr.io/a/c:0.20.1",
	}, changed); diff != "" {
		t.Errorf("what changed, -want +got:\n%s", diff)
	}
	if entry.Images[0].Default != "nvcr.io/nvidia/k8s-device-plugin:v0.17.4" {
		t.Error("the entry that was given is changed")
	}
}
