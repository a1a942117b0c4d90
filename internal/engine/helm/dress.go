// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// dress gives each object its namespace and the labels that tell whose it is, and writes them
// all down as one text.
func (r *rendered) dress(manifests []releaseutil.Manifest, at at, scopes scopes) error {
	for _, m := range manifests {
		found, err := parse(m.Content)
		if err != nil {
			return fmt.Errorf("read what %s became: %w", m.Name, err)
		}
		r.Objects = append(r.Objects, found...)
	}
	scopes.defined = append(scopes.defined, defined(r.Objects)...)
	var text bytes.Buffer
	for _, object := range r.Objects {
		if object.GetNamespace() == "" && scopes.namespaced(object) {
			object.SetNamespace(at.Namespace)
		}
		mark(object, at)
		raw, err := yaml.Marshal(object.Object)
		if err != nil {
			return fmt.Errorf("write down %s: %w", objects.Ref(object), err)
		}
		fmt.Fprintf(&text, "---\n%s", raw)
	}
	r.Manifest = text.String()
	return nil
}

// mark puts our labels, and those by which Helm knows its own, on an object.
func mark(object *objects.Object, at at) {
	put(object, "labels", ownerLabels(at.Owner))
	put(object, "annotations", releaseAnnotations(at.Name))
}

const releaseName, releaseNamespace = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"

// releaseAnnotations are those by which Helm knows the objects of a release.
func releaseAnnotations(name Name) map[string]string {
	return map[string]string{releaseName: name.Name, releaseNamespace: name.Namespace}
}

// put sets keys of an object's labels or annotations and leaves the others as they are, also
// those that are no text and that the API server will refuse.
func put(object *objects.Object, part string, texts map[string]string) {
	metadata, ok := object.Object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		object.Object["metadata"] = metadata
	}
	stands, _ := metadata[part].(map[string]any)
	next := maps.Clone(stands)
	if next == nil {
		next = map[string]any{}
	}
	for key, value := range texts {
		next[key] = value
	}
	metadata[part] = next
}

// bare takes out fields that are null, which templates leave where a value is empty. Helm creates
// objects with them and the API server drops them, but it refuses to apply them.
func bare(object *objects.Object) *objects.Object {
	dropNulls(object.Object)
	return object
}

func dropNulls(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			if below == nil {
				delete(v, key)
				continue
			}
			dropNulls(below)
		}
	case []any:
		for _, below := range v {
			dropNulls(below)
		}
	}
}

// unveil writes the texts of a Secret as the API server keeps them. What is applied as
// stringData has no owner once it has become data, so that no edit of it would ever show.
func unveil(object *objects.Object) *objects.Object {
	texts, found := object.Object["stringData"].(map[string]any)
	if !found || object.GetKind() != "Secret" || object.GetAPIVersion() != "v1" {
		return object
	}
	data, _ := object.Object["data"].(map[string]any)
	data = maps.Clone(data)
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range texts {
		text, ok := value.(string)
		if !ok {
			return object // the API server refuses it and says why
		}
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	delete(object.Object, "stringData")
	object.Object["data"] = data
	return object
}

// parse reads the objects of a manifest; a List is taken apart.
func parse(text string) (all []*objects.Object, err error) {
	parts := releaseutil.SplitManifests(text)
	keys := slices.SortedFunc(maps.Keys(parts), func(a, b string) int { // manifest-2 before manifest-10
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for _, key := range keys {
		raw, err := yaml.YAMLToJSON([]byte(parts[key]))
		if err != nil {
			return nil, err
		}
		if string(raw) == "null" || strings.TrimSpace(string(raw)) == "{}" {
			continue
		}
		object := &objects.Object{}
		if err := object.UnmarshalJSON(raw); err != nil {
			return nil, err
		}
		if !object.IsList() {
			all = append(all, unveil(bare(object)))
			continue
		}
		err = object.EachListItem(func(item runtime.Object) error {
			if one, ok := item.(*objects.Object); ok {
				all = append(all, unveil(bare(one)))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
