// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
)

// Merge lays each layer over those before it: maps key by key, everything else as a whole. A
// null takes away what a layer before, or the chart, has set.
func Merge(layers ...map[string]any) map[string]any {
	merged := map[string]any{}
	for _, layer := range layers {
		lay(merged, layer)
	}
	return merged
}

func lay(over, layer map[string]any) {
	for key, value := range layer {
		below, isMap := value.(map[string]any)
		stands, wasMap := over[key].(map[string]any)
		if isMap && wasMap {
			lay(stands, below)
			continue
		}
		over[key] = runtime.DeepCopyJSONValue(value)
	}
}

// AllValues are the values with which the chart is rendered, the secret ones included.
func (w Want) AllValues() map[string]any { return Merge(w.Values, w.Secret) }

// leaves are the paths of the values within a map, in order.
func leaves(values map[string]any) (paths [][]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		below, isMap := values[key].(map[string]any)
		if !isMap {
			paths = append(paths, []string{key})
			continue
		}
		for _, path := range leaves(below) {
			paths = append(paths, append([]string{key}, path...))
		}
	}
	return paths
}

// maskOf hides what stands at paths of the values of a release.
func maskOf(values map[string]any, paths [][]string) redact.Masker {
	var found []any
	for _, path := range paths {
		if value, ok, err := unstructured.NestedFieldNoCopy(values, path...); ok && err == nil {
			found = append(found, value)
		}
	}
	return redact.Of(found...)
}

// Inputs identifies what a release is made of: the chart by its digest, the values, and the
// options that change what is made. Secret values are no part of it.
func (w Want) Inputs(digest string) string {
	raw, err := json.Marshal(map[string]any{
		"chart": digest, "values": w.Values, "crds": w.CRDs, "hooks": !w.SkipHooks, "secrets": w.Secrets,
	})
	if err != nil { // values come from JSON or HCL, and always go back
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// inputsFor is Inputs in the form in which the record has them: of a release that was adopted no
// digest is known.
func (w Want) inputsFor(record Record, c *chart.Chart, digest string) string {
	if record.Adopted {
		w.Secrets = ""
		return w.Inputs(unpinned(c.Name(), c.Metadata.Version))
	}
	return w.Inputs(digest)
}

// images lists the images that the pods of objects run, each once.
func images(all []*objects.Object) []string {
	found := map[string]bool{}
	for _, object := range all {
		for _, path := range podSpecs[object.GetKind()] {
			for _, list := range []string{"containers", "initContainers"} {
				containers, _, _ := unstructured.NestedSlice(object.Object, append(slices.Clone(path), list)...)
				for _, container := range containers {
					one, _ := container.(map[string]any)
					if image := fmt.Sprint(one["image"]); one["image"] != nil {
						found[image] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// podSpecs says where the kinds that run pods hold the specification of one.
var podSpecs = map[string][][]string{
	"Pod":         {{"spec"}},
	"Deployment":  {{"spec", "template", "spec"}},
	"DaemonSet":   {{"spec", "template", "spec"}},
	"StatefulSet": {{"spec", "template", "spec"}},
	"ReplicaSet":  {{"spec", "template", "spec"}},
	"Job":         {{"spec", "template", "spec"}},
	"CronJob":     {{"spec", "jobTemplate", "spec", "template", "spec"}},
}
