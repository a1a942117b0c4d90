// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// Apply makes the object as wanted and returns what now stands. Keys that others have put
// into maps which we own as a whole are taken out, which a server-side apply alone cannot do.
func (c *Cluster) Apply(ctx context.Context, want *objects.Object) (live *objects.Object, created bool, err error) {
	return c.apply(ctx, want, true)
}

// Introduce is Apply for an object that did not stand a moment ago. Where somebody else has
// made one since, it takes no field from them: that is a conflict.
func (c *Cluster) Introduce(ctx context.Context, want *objects.Object) (live *objects.Object, created bool, err error) {
	return c.apply(ctx, want, false)
}

func (c *Cluster) apply(ctx context.Context, want *objects.Object, force bool) (live *objects.Object, created bool, err error) {
	kind, err := KindOf(want)
	if err != nil {
		return nil, false, err
	}
	live, created, err = c.patch(ctx, want, kind, patching{force: force})
	if err != nil {
		return nil, false, err
	}
	if strange := strangers(plan.Diff(want, live)); strange != nil {
		if live, err = c.merge(ctx, kind, live, strange); err != nil {
			return nil, created, err
		}
	}
	c.remember(kind, keyOf(want), live)
	return live, created, nil
}

// Release gives back the fields that we own in an object and leaves the object.
func (c *Cluster) Release(ctx context.Context, object *objects.Object) error {
	bare := &objects.Object{}
	bare.SetGroupVersionKind(object.GroupVersionKind())
	bare.SetNamespace(object.GetNamespace())
	bare.SetName(object.GetName())
	_, _, err := c.Apply(ctx, bare)
	return err
}

// Delete deletes exactly this object: one of the same name that has come since is left alone.
// An object that is gone already is no error.
func (c *Cluster) Delete(ctx context.Context, object *objects.Object) error {
	kind, err := KindOf(object)
	if err != nil {
		return err
	}
	return c.Remove(ctx, kind, object)
}

// Remove is Delete for an object of any kind.
func (c *Cluster) Remove(ctx context.Context, kind Kind, object *objects.Object) error {
	uid := object.GetUID()
	options, err := json.Marshal(metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: new(metav1.DeletePropagationBackground),
	})
	if err != nil {
		return err
	}
	_, _, err = send(ctx, "delete "+objects.Ref(object), func() *rest.Request {
		return c.on(c.rest.Delete(), kind, object.GetNamespace(), object.GetName()).Body(options)
	})
	if err == nil || IsNotFound(err) || apierrors.IsConflict(err) {
		c.remember(kind, keyOf(object), nil)
		return nil
	}
	return err
}

// Create makes an object whose name the API server may choose (generateName).
func (c *Cluster) Create(ctx context.Context, object *objects.Object) error {
	kind, err := KindOf(object)
	if err != nil {
		return err
	}
	body, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	_, _, err = send(ctx, "create "+objects.Ref(object), func() *rest.Request {
		return c.on(c.rest.Post(), kind, object.GetNamespace(), "").Param("fieldManager", plan.FieldManager).Body(body)
	})
	return err
}

// strangers collects the keys that stand where nothing of ours does, as a merge patch that
// removes them; nil where there are none.
func strangers(changes []plan.Change) map[string]any {
	var patch map[string]any
	for _, change := range changes {
		names := change.Path.Fields()
		if change.Want != nil || change.Have == nil || len(names) < len(change.Path) {
			continue // ours, or within a list, which is applied as a whole
		}
		if patch == nil {
			patch = map[string]any{}
		}
		level := patch
		for _, name := range names[:len(names)-1] {
			below, ok := level[name].(map[string]any)
			if !ok {
				below = map[string]any{}
				level[name] = below
			}
			level = below
		}
		level[names[len(names)-1]] = nil
	}
	return patch
}

func (c *Cluster) merge(ctx context.Context, kind Kind, live *objects.Object, patch map[string]any) (*objects.Object, error) {
	patch = maps.Clone(patch)
	patch["metadata"] = map[string]any{"uid": string(live.GetUID())}
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	raw, _, err := send(ctx, "apply "+objects.Ref(live), func() *rest.Request {
		return c.on(c.rest.Patch(types.MergePatchType), kind, live.GetNamespace(), live.GetName()).
			SetHeader("Accept", kind.accept("")).Param("fieldManager", plan.FieldManager).Body(body)
	})
	if err != nil {
		return nil, fmt.Errorf("remove the keys that others added: %w", err)
	}
	return decode(kind, raw)
}

func keyOf(object *objects.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
