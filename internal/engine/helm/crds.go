// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

const definitionKind = "CustomResourceDefinition"

// definitionsKind is the kind of definitions itself.
var definitionsKind = kube.Kind{
	GroupVersionKind: schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: definitionKind},
	Resource:         "customresourcedefinitions",
}

// definitions reads the definitions in a chart's crds folders, its subcharts' included.
func definitions(c *chart.Chart) ([]*objects.Object, error) {
	seen := map[string]bool{}
	var all []*objects.Object
	for _, file := range c.CRDObjects() {
		found, err := parse(string(file.File.Data))
		if err != nil {
			return nil, fmt.Errorf("read %s of chart %s: %w", file.Filename, c.Name(), err)
		}
		for _, object := range found {
			if !seen[objects.Ref(object)] { // subcharts may carry the same
				seen[objects.Ref(object)] = true
				all = append(all, object)
			}
		}
	}
	return all, nil
}

// wholly is a chart as its record keeps it. Helm's format has no place for subcharts, so that
// their definitions are filed with those of the chart.
func wholly(c *chart.Chart) *chart.Chart {
	kept := *c
	kept.Files = slices.Clone(c.Files)
	for _, crd := range c.CRDObjects() {
		if !slices.Contains(c.Files, crd.File) {
			kept.Files = append(kept.Files, &chart.File{Name: "crds/" + crd.Filename, Data: crd.File.Data})
		}
	}
	return &kept
}

// defined returns the kinds that definitions among the objects define, one for each version
// that is served.
func defined(all []*objects.Object) (kinds []kube.Kind) {
	for _, object := range all {
		if object.GetKind() != definitionKind {
			continue
		}
		text := func(path ...string) string {
			value, _, _ := unstructured.NestedString(object.Object, append([]string{"spec"}, path...)...)
			return value
		}
		versions, _, _ := unstructured.NestedSlice(object.Object, "spec", "versions")
		for _, version := range versions {
			one, _ := version.(map[string]any)
			name, _ := one["name"].(string)
			if served, _ := one["served"].(bool); served {
				kinds = append(kinds, kube.Kind{
					GroupVersionKind: schema.GroupVersionKind{Group: text("group"), Version: name, Kind: text("names", "kind")},
					Resource:         text("names", "plural"), Namespaced: text("scope") == "Namespaced",
				})
			}
		}
	}
	return kinds
}

// scopes tells kinds apart: those that the API server serves, and those that the chart brings.
type scopes struct {
	api     *kube.API
	defined []kube.Kind
}

func (s scopes) find(gvk schema.GroupVersionKind) (kube.Kind, bool) {
	for _, kind := range s.defined {
		if kind.GroupVersionKind == gvk {
			return kind, true
		}
	}
	if s.api == nil {
		return kube.Kind{}, false
	}
	return s.api.Kind(gvk)
}

// namespaced says whether an object lies in a namespace. Of a kind that nobody knows yet it is
// taken for granted, as most are.
func (s scopes) namespaced(object *objects.Object) bool {
	kind, known := s.find(object.GroupVersionKind())
	return !known || kind.Namespaced
}

// kindOf finds the kind of an object, asking the API server again where neither it nor the
// chart knew it: another release may have brought its definition since.
func (e Engine) kindOf(ctx context.Context, s scopes, object *objects.Object) (kube.Kind, error) {
	gvk := object.GroupVersionKind()
	if kind, known := s.find(gvk); known {
		return kind, nil
	}
	kind, known, err := e.Cluster.KindFor(ctx, gvk)
	switch {
	case err != nil:
		return kind, err
	case !known:
		return kind, fmt.Errorf("%s: the API server does not serve %s, and the chart brings no definition of it. "+
			"Install what defines it first, or switch the part of the chart off that needs it", objects.Ref(object), gvk)
	}
	return kind, nil
}

// established says whether a definition can be used, and if not, why.
func established(definition *objects.Object) (bool, string) {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	why := "not established yet"
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		message, _ := condition["message"].(string)
		switch {
		case condition["type"] == "Established" && condition["status"] == "True":
			return true, ""
		case condition["type"] == "NamesAccepted" && condition["status"] == "False":
			why = message
		}
	}
	return false, why
}

// wakeAfter: how long a definition that is being deleted may stand before it is woken. Most go
// within a second or two.
const wakeAfter = 5 * time.Second

// wake changes a definition that is being deleted, so that the API server looks at it again: its
// finalizer drops a definition whose status it wrote a moment ago, and comes back to it after
// five minutes (operator-framework/operator-controller#1437). It strips nothing.
func (r *run) wake(ctx context.Context, live *objects.Object) {
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q,"annotations":{"trainyard.io/woken":%q}}}`, live.GetUID(), time.Now().UTC().Format(time.RFC3339))
	if err := r.Cluster.Merge(ctx, definitionsKind, "", live.GetName(), patch); err != nil {
		tflog.Debug(ctx, "Could not wake a definition that is being deleted", map[string]any{"definition": live.GetName(), "error": err.Error()})
	}
}
