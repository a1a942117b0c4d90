// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaults(t *testing.T) {
	chart := Chart{Values: []Value{
		{Path: "a.b.c", Value: true},
		{Path: "a.b.d", Value: []any{map[string]any{"key": "x"}}},
		{Path: "e", Value: map[string]any{"example.com/f": "g"}},
		{Path: "e.h", Value: "i"},
	}}
	want := map[string]any{
		"a": map[string]any{"b": map[string]any{"c": true, "d": []any{map[string]any{"key": "x"}}}},
		"e": map[string]any{"example.com/f": "g", "h": "i"},
	}
	got := chart.Defaults()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// What a caller does to its values is not seen by the next.
	got["a"].(map[string]any)["b"].(map[string]any)["d"].([]any)[0].(map[string]any)["key"] = "y"
	got["e"].(map[string]any)["h"] = "y"
	if diff := cmp.Diff(want, chart.Defaults()); diff != "" {
		t.Errorf("after a caller changed its own, -want +got:\n%s", diff)
	}
	if got := (Chart{}).Defaults(); got == nil || len(got) != 0 {
		t.Errorf("without values got %v, want an empty map that can be written", got)
	}
}

func TestMirroredWritesEveryLayout(t *testing.T) {
	for _, test := range []struct {
		name     string
		registry string
		image    Image
		want     map[string]any
	}{
		{
			"a whole reference", "mirror.example",
			Image{Reference: "image", Default: "ghcr.io/a/b:1@" + someDigest},
			map[string]any{"image": "mirror.example/ghcr.io/a/b:1@" + someDigest},
		},
		{
			"a repository with its registry", "mirror.example/team",
			Image{Repository: "image.repository", Tag: "image.tag", Default: "nvcr.io/nvidia/x:v1"},
			map[string]any{"image": map[string]any{"repository": "mirror.example/team/nvcr.io/nvidia/x"}},
		},
		{
			"a repository of the default registry", "mirror.example",
			Image{Repository: "image", Tag: "tag", Default: "docker.io/library/kong:3.9"},
			map[string]any{"image": "mirror.example/docker.io/library/kong"},
		},
		{
			"a repository and the name after it", "mirror.example",
			Image{Repository: "a.repository", Name: "a.image", Tag: "a.version", Default: "nvcr.io/nvidia/cloud-native/dcgm:4"},
			map[string]any{"a": map[string]any{"repository": "mirror.example/nvcr.io/nvidia/cloud-native"}},
		},
		{
			"a registry and a repository", "mirror.example/team",
			Image{Registry: "registry", Repository: "repository", Tag: "tag", Digest: "digest", Default: "docker.io/library/traefik:v3"},
			map[string]any{"registry": "mirror.example/team/docker.io", "repository": "library/traefik"},
		},
		{
			"a registry, a repository and a name", "mirror.example:5000",
			Image{Registry: "registry", Repository: "repository", Name: "name", Default: "quay.io/jetstack/cert-manager-webhook:v1"},
			map[string]any{"registry": "mirror.example:5000/quay.io", "repository": "jetstack"},
		},
		{"no mirror", "", Image{Repository: "image", Default: "nvcr.io/nvidia/x:v1"}, map[string]any{}},
		{"an image that does not parse", "mirror.example", Image{Repository: "image", Default: "NVCR"}, map[string]any{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Chart{Images: []Image{test.image}}.Mirrored(test.registry)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// With the values of the catalogue every image of every chart is pulled from where MirrorImage
// puts it, under the same tag.
func TestEveryImageOfEveryChartMoves(t *testing.T) {
	const mirror = "mirror.example:5000/images"
	for _, chart := range Charts() {
		before, after := asTheChart(chart), asTheChart(chart)
		overlay(after, chart.Mirrored(mirror))
		for _, image := range chart.Images {
			if got := image.pulled(t, before); got != image.Default {
				t.Fatalf("%s: this test reads %s from the chart's values as %s", chart.Name, image.Default, got)
			}
			want, err := MirrorImage(mirror, image.Default)
			if err != nil {
				t.Errorf("%s: %v", chart.Name, err)
				continue
			}
			if got := image.pulled(t, after); got != want {
				t.Errorf("%s: through the mirror %s is pulled as %s, want %s", chart.Name, image.Default, got, want)
			}
		}
	}
}

func TestAllImagesAreWholeAndSorted(t *testing.T) {
	for _, chart := range Charts() {
		images := chart.AllImages()
		if !slices.IsSorted(images) || len(slices.Compact(slices.Clone(images))) != len(images) {
			t.Errorf("%s: images are not sorted, each once: %v", chart.Name, images)
		}
		for _, image := range images {
			ref, err := ParseReference(image)
			switch {
			case err != nil:
				t.Errorf("%s: %v", chart.Name, err)
			case ref.String() != image:
				t.Errorf("%s: %s is in full %s", chart.Name, image, ref)
			case ref.Tag == "" || ref.Tag == "latest":
				t.Errorf("%s: the tag of %s is not fixed", chart.Name, image)
			}
		}
		if chart.Installable() && len(images) == 0 {
			t.Errorf("%s runs no image", chart.Name)
		}
	}
}

// asTheChart is what the chart's own values say of its images.
func asTheChart(chart Chart) map[string]any {
	values := map[string]any{}
	set := func(path, value string) {
		if path != "" {
			setValue(values, path, value)
		}
	}
	for _, image := range chart.Images {
		ref, _ := ParseReference(image.Default)
		repository, name := ref.Path, ""
		if image.Name != "" {
			at := strings.LastIndexByte(ref.Path, '/')
			repository, name = ref.Path[:at], ref.Path[at+1:]
		}
		if image.Registry == "" {
			repository = ref.Host + "/" + repository
		}
		set(image.Reference, image.Default)
		set(image.Registry, ref.Host)
		set(image.Repository, repository)
		set(image.Name, name)
	}
	return values
}

// pulled puts an image's reference together as a chart's template does. Tags and digests are
// the chart's own: no mirror may write them.
func (i Image) pulled(t *testing.T, values map[string]any) string {
	t.Helper()
	if i.Reference != "" {
		return at(values, i.Reference).(string)
	}
	var parts []string
	for _, path := range []string{i.Registry, i.Repository, i.Name} {
		if path != "" {
			parts = append(parts, at(values, path).(string))
		}
	}
	for _, path := range []string{i.Tag, i.Digest} {
		if path != "" && at(values, path) != nil {
			t.Errorf("%s is written, %v", path, at(values, path))
		}
	}
	ref, err := ParseReference(i.Default)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(parts, "/") + strings.TrimPrefix(ref.String(), ref.Host+"/"+ref.Path)
}

func at(values map[string]any, path string) any {
	var value any = values
	for key := range strings.SplitSeq(path, ".") {
		inner, _ := value.(map[string]any)
		value = inner[key]
	}
	return value
}

func overlay(under, over map[string]any) {
	for key, value := range over {
		if inner, ok := value.(map[string]any); ok {
			if below, ok := under[key].(map[string]any); ok {
				overlay(below, inner)
				continue
			}
		}
		under[key] = value
	}
}
