// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var someDigest = "sha256:" + strings.Repeat("0a", 32)

func TestParseReference(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Reference
	}{
		{"a whole one", "nvcr.io/nvidia/driver:580", Reference{Host: "nvcr.io", Path: "nvidia/driver", Tag: "580"}},
		{"one of the default registry", "rook/ceph:v1", Reference{Host: "docker.io", Path: "rook/ceph", Tag: "v1"}},
		{"a single word", "busybox", Reference{Host: "docker.io", Path: "library/busybox"}},
		{"a single word with its registry", "docker.io/busybox", Reference{Host: "docker.io", Path: "library/busybox"}},
		{"a registry with a port", "mirror:5000/a/b", Reference{Host: "mirror:5000", Path: "a/b"}},
		{"localhost", "localhost/app:1", Reference{Host: "localhost", Path: "app", Tag: "1"}},
		{"a digest alone", "quay.io/a/b@" + someDigest, Reference{Host: "quay.io", Path: "a/b", Digest: someDigest}},
		{"tag and digest", "quay.io/a/b:1@" + someDigest, Reference{Host: "quay.io", Path: "a/b", Tag: "1", Digest: someDigest}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseReference(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if back, err := ParseReference(got.String()); err != nil || back != got {
				t.Errorf("%s is read back as %v, %v", got, back, err)
			}
		})
	}
}

func TestParseReferenceRefuses(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "no repository"},
		{"a scheme", "https://nvcr.io/a:1", "no registry"},
		{"upper case", "nvcr.io/NVIDIA/driver:1", "no repository"},
		{"an empty tag", "nvcr.io/a:", "no tag"},
		{"a short digest", "nvcr.io/a@sha256:00", "no digest"},
		{"a space", "nvcr.io/a b", "no repository"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if ref, err := ParseReference(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v and the error %v, want one with %q", ref, err, test.want)
			}
		})
	}
}

func FuzzParseReference(f *testing.F) {
	for _, chart := range Charts() {
		for _, image := range chart.AllImages() {
			f.Add(image)
		}
	}
	f.Add("mirror:5000/a/b:c@" + someDigest)
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := ParseReference(text)
		if err != nil {
			return
		}
		if back, err := ParseReference(ref.String()); err != nil || back != ref {
			t.Errorf("%q is read as %v, which is read as %v, %v", text, ref, back, err)
		}
	})
}

func TestMirrorImage(t *testing.T) {
	for _, test := range []struct{ name, registry, image, want string }{
		{"the registry becomes a folder", "mirror.example", "nvcr.io/nvidia/x:v1", "mirror.example/nvcr.io/nvidia/x:v1"},
		{"the default registry is named", "mirror.example", "busybox:1", "mirror.example/docker.io/library/busybox:1"},
		{"a mirror in a folder", "mirror.example:5000/team/", "quay.io/a/b:1", "mirror.example:5000/team/quay.io/a/b:1"},
		{"a port", "mirror.example", "registry.example:8443/a:1", "mirror.example/registry.example_8443/a:1"},
		{"tag and digest stay", "mirror.example", "quay.io/a/b:1@" + someDigest, "mirror.example/quay.io/a/b:1@" + someDigest},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := MirrorImage(test.registry, test.image)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestMirrorImageRefuses(t *testing.T) {
	for _, test := range []struct{ name, registry, image string }{
		{"a scheme", "https://mirror.example", "quay.io/a/b:1"},
		{"a host that would be a folder of the default registry", "mirror", "quay.io/a/b:1"},
		{"no registry", "", "quay.io/a/b:1"},
		{"an upper-case folder", "mirror.example/Team", "quay.io/a/b:1"},
		{"no image", "mirror.example", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := MirrorImage(test.registry, test.image); err == nil {
				t.Errorf("got %q, want an error", got)
			}
		})
	}
}

// Two images must never meet in the mirror.
func TestMirrorKeepsImagesApart(t *testing.T) {
	from := map[string]string{}
	for _, image := range []string{
		"quay.io/a/b:1", "docker.io/a/b:1", "ghcr.io/a/b:1", "registry.example:80/a/b:1", "registry.example/a/b:1",
		"registry.example/80/a/b:1", "docker.io/quay.io/a/b:1", "a/b:2", "b:1",
	} {
		moved, err := MirrorImage("mirror.example", image)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := from[moved]; taken {
			t.Errorf("%s and %s are both %s", other, image, moved)
		}
		from[moved] = image
	}
}
