// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// IndexEntry is what a repository says of one version of a chart.
type IndexEntry struct {
	Version    string
	Digest     string // of the archive, with or without sha256:; "" where the repository gives none
	Deprecated bool
}

// sha256Pattern is a digest as indexes write it, with the algorithm or without.
var sha256Pattern = regexp.MustCompile(`^(sha256:)?[0-9a-f]{64}$`)

// Refresh is the entry with the newest version of its chart that it may follow, and what
// changed. That is a release (no pre-release, not deprecated) of the same major version, or
// in the range of Source.Follow; never an older one. Images whose tag is the chart's version
// move with it. Other images, definitions and value paths need a look by somebody.
//
// A pinned version that the repository now gives another digest is not taken: the entry
// stays, and what changed says so.
func Refresh(entry Chart, index []IndexEntry) (Chart, []string) {
	newest, found := newestRelease(entry.Source, index)
	if !found {
		return entry, nil
	}
	var changed []string
	from := entry.Source
	digest := normalDigest(newest.Digest)
	if newest.Version == from.Version {
		switch {
		case digest == "" || digest == from.Digest:
			return entry, nil
		case from.Digest != "":
			return entry, []string{fmt.Sprintf("version %s has another digest in the repository than the entry pins: %s, not %s; left as it is. Find out why before you take it",
				from.Version, digest, from.Digest)}
		}
	} else {
		changed = append(changed, fmt.Sprintf("version: %s -> %s", from.Version, newest.Version))
		entry.Source.Version = newest.Version
		var moved []string
		entry.Images, moved = moveTags(entry.Images, from.Version, newest.Version)
		changed = append(changed, moved...)
	}
	if digest != from.Digest {
		changed = append(changed, fmt.Sprintf("digest: %s -> %s", orNone(from.Digest), orNone(digest)))
	}
	entry.Source.Digest, entry.Source.Unpinned = digest, ""
	if digest == "" {
		entry.Source.Unpinned = from.Unpinned
		if from.Unpinned == "" {
			entry.Source.Unpinned = "The repository gives no digest of this version."
		}
	}
	return entry, changed
}

// newestRelease is the newest version that an entry may follow, its own or a newer one.
func newestRelease(from Source, index []IndexEntry) (IndexEntry, bool) {
	current, err := semver.NewVersion(from.Version)
	if err != nil {
		return IndexEntry{}, false
	}
	allowed := func(v *semver.Version) bool { return v.Major() == current.Major() }
	if from.Follow != "" {
		follow, err := semver.NewConstraint(from.Follow)
		if err != nil {
			return IndexEntry{}, false
		}
		allowed = follow.Check
	}
	var newest IndexEntry
	best, found := current, false
	for _, entry := range index {
		v, err := semver.NewVersion(entry.Version)
		// What is no version is none of ours to judge: repositories hold odd old ones.
		if err != nil || v.Prerelease() != "" || v.LessThan(best) || !allowed(v) {
			continue
		}
		switch {
		case v.Equal(current):
			entry.Version = from.Version // v1.0.0 and 1.0.0 are one
		case entry.Deprecated:
			continue
		}
		newest, best, found = entry, v, true
	}
	return newest, found
}

// moveTags gives images whose tag is the chart's old version, with a v or without, the new.
func moveTags(images []Image, from, to string) ([]Image, []string) {
	images = slices.Clone(images)
	old, next := strings.TrimPrefix(from, "v"), strings.TrimPrefix(to, "v")
	var changed []string
	for at, image := range images {
		ref, err := ParseReference(image.Default)
		// A digest is that of the old image: such a reference is for somebody to look up.
		if err != nil || ref.Digest != "" || strings.TrimPrefix(ref.Tag, "v") != old {
			continue
		}
		ref.Tag = strings.TrimSuffix(ref.Tag, old) + next
		images[at].Default = ref.String()
		changed = append(changed, fmt.Sprintf("image: %s -> %s", image.Default, images[at].Default))
	}
	return images, changed
}

func normalDigest(digest string) string {
	if !sha256Pattern.MatchString(digest) {
		return ""
	}
	return "sha256:" + strings.TrimPrefix(digest, "sha256:")
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
