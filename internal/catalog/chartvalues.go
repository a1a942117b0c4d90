// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"maps"
	"slices"
	"strings"
)

// Defaults are the values that Trainyard sets, nested as Helm takes them. The caller may
// change them.
func (c Chart) Defaults() map[string]any {
	values := map[string]any{}
	for _, v := range c.Values {
		setValue(values, v.Path, cloneValue(v.Value))
	}
	return values
}

// Mirrored are the values that make the chart pull every image through a mirror: what its
// values say of an image's place, rewritten by MirrorImage, tags and digests as they are.
// Registry and repository are both given, so that nothing depends on the chart's own half.
// They go over Defaults and under the user's values. Without a registry there are none.
//
// An image goes to the mirror by the place that Default names. Who has the chart run another
// image names that one in full.
func (c Chart) Mirrored(registry string) map[string]any {
	values := map[string]any{}
	if registry == "" {
		return values
	}
	for _, image := range c.Images {
		// The entries of this build parse, which a test sees to; an entry from elsewhere that
		// does not is left to the chart.
		ref, err := ParseReference(image.Default)
		if err != nil {
			continue
		}
		image.place(values, registry, ref)
	}
	return values
}

// place writes where an image lies in a mirror, in the layout of its values.
func (i Image) place(values map[string]any, registry string, ref Reference) {
	moved := ref.mirrored(registry)
	repository := ref.Path
	if i.Name != "" {
		repository = parent(ref.Path)
	}
	switch {
	case i.Reference != "":
		setValue(values, i.Reference, moved.String())
	case i.Registry != "":
		setValue(values, i.Registry, moved.Host+"/"+strings.TrimSuffix(moved.Path, "/"+ref.Path))
		if i.Repository != "" {
			setValue(values, i.Repository, repository)
		}
	case i.Repository != "":
		place := moved.Host + "/" + moved.Path
		if i.Name != "" {
			place = parent(place)
		}
		setValue(values, i.Repository, place)
	}
}

// AllImages are the whole references of every image that the chart may run by default, also
// those that run only with a value on (Image.When), sorted, each once.
func (c Chart) AllImages() []string {
	images := map[string]bool{}
	for _, image := range c.Images {
		images[image.Default] = true
	}
	return slices.Sorted(maps.Keys(images))
}

// setValue sets the value at a path of keys with dots between them, making the maps on the
// way; what is no map there gives way.
func setValue(values map[string]any, path string, value any) {
	keys := strings.Split(path, ".")
	for _, key := range keys[:len(keys)-1] {
		next, ok := values[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			values[key] = next
		}
		values = next
	}
	values[keys[len(keys)-1]] = value
}

// cloneValue copies a value as JSON has them: maps, lists and what is none of both.
func cloneValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		clone := make(map[string]any, len(v))
		for key, item := range v {
			clone[key] = cloneValue(item)
		}
		return clone
	case []any:
		clone := make([]any, len(v))
		for at, item := range v {
			clone[at] = cloneValue(item)
		}
		return clone
	}
	return value
}

// parent is what stands before the last slash, "" where there is none.
func parent(path string) string {
	at := strings.LastIndexByte(path, '/')
	return path[:max(at, 0)]
}
