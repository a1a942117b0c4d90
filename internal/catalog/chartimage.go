// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"regexp"
	"strings"
)

// Reference names an image in full.
type Reference struct {
	Host   string // registry, with its port if it has one: docker.io
	Path   string // repository there: library/busybox
	Tag    string // "" where there is none
	Digest string // algorithm:hex, "" where there is none
}

// The grammar is that of the distribution project's reference package.
var (
	hostPattern   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]+)?$`)
	pathPattern   = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)
	tagPattern    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	digestPattern = regexp.MustCompile(`^sha(256:[0-9a-f]{64}|512:[0-9a-f]{128})$`)
)

// ParseReference reads an image's reference. As everywhere, one without a registry is of
// docker.io, and there one of a single word is in library/.
func ParseReference(text string) (Reference, error) {
	var ref Reference
	rest, digest, found := strings.Cut(text, "@")
	if found && !digestPattern.MatchString(digest) {
		return Reference{}, fmt.Errorf("image %q: %q is no digest; it is sha256: and 64 hexadecimal digits", text, digest)
	}
	ref.Digest = digest
	// A colon after the last slash starts a tag, one before it a port.
	if at := strings.LastIndexByte(rest, ':'); at > strings.LastIndexByte(rest, '/') {
		rest, ref.Tag = rest[:at], rest[at+1:]
		if !tagPattern.MatchString(ref.Tag) {
			return Reference{}, fmt.Errorf("image %q: %q is no tag", text, ref.Tag)
		}
	}
	ref.Host, ref.Path = "docker.io", rest
	// The first part is a host if it cannot be anything else.
	if first, after, ok := strings.Cut(rest, "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
		ref.Host, ref.Path = first, after
	}
	if ref.Host == "docker.io" && !strings.Contains(ref.Path, "/") {
		ref.Path = "library/" + ref.Path
	}
	if !hostPattern.MatchString(ref.Host) {
		return Reference{}, fmt.Errorf("image %q: %q is no registry", text, ref.Host)
	}
	if !pathPattern.MatchString(ref.Path) {
		return Reference{}, fmt.Errorf("image %q: %q is no repository; it is lower case, with slashes between its parts", text, ref.Path)
	}
	return ref, nil
}

// String is the reference in full: docker.io/library/busybox:1.38.0.
func (r Reference) String() string {
	text := r.Host + "/" + r.Path
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	if r.Digest != "" {
		text += "@" + r.Digest
	}
	return text
}

// MirrorImage is where an image lies in a mirror, a registry with or without a path in it.
// The mirror keeps the image's own registry as the first part of its repository:
//
//	nvcr.io/nvidia/driver:1.0 -> mirror.example/nvcr.io/nvidia/driver:1.0
//
// Without it, images of one name in two registries would be one in the mirror. The colon
// before a port becomes an underscore, which no host's name has.
func MirrorImage(registry, image string) (string, error) {
	ref, err := ParseReference(image)
	if err != nil {
		return "", err
	}
	moved := ref.mirrored(registry)
	if back, err := ParseReference(moved.String()); err != nil || back != moved {
		return "", fmt.Errorf("registry mirror %q is no registry; it is a host with a dot or a port in it, "+
			"perhaps a path, and no scheme: mirror.example:5000/images", registry)
	}
	return moved.String(), nil
}

func (r Reference) mirrored(registry string) Reference {
	host, prefix, _ := strings.Cut(strings.Trim(registry, "/"), "/")
	path := strings.ToLower(strings.Replace(r.Host, ":", "_", 1)) + "/" + r.Path
	if prefix != "" {
		path = prefix + "/" + path
	}
	r.Host, r.Path = host, path
	return r
}
