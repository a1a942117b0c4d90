// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/csaupgrade"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// Whole reads one object of any kind with all its contents, past the snapshot; nil where the
// API server is sure that there is none.
func (c *Cluster) Whole(ctx context.Context, kind Kind, namespace, name string) (*objects.Object, error) {
	live, err := c.get(ctx, kind.Untypedly(), namespace, name)
	if IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// WholeOf lists the objects of any kind with all their contents, past the snapshot.
func (c *Cluster) WholeOf(ctx context.Context, kind Kind, query Query) (all []*objects.Object, err error) {
	kind = kind.Untypedly()
	return collect(ctx, c, kind, query, func(item runtime.Object) (*objects.Object, bool) {
		return asObject(kind, item), true
	})
}

// Stamp is what the API server says about an object after a write: its metadata.
type Stamp struct {
	Live    *objects.Object
	Created bool
}

// Impose applies an object of any kind, taking fields back from whoever else has set them.
func (c *Cluster) Impose(ctx context.Context, kind Kind, object *objects.Object) (Stamp, error) {
	return c.stamp(ctx, kind, object, patching{force: true})
}

// Place is Impose for an object that did not stand a moment ago: it takes no field from
// anybody. Where another's object turns out to stand there and nothing conflicts, our fields
// are given back and the error is ErrTaken.
func (c *Cluster) Place(ctx context.Context, kind Kind, object *objects.Object) (Stamp, error) {
	stamp, err := c.stamp(ctx, kind, object, patching{})
	switch {
	case apierrors.IsConflict(err):
		return stamp, fmt.Errorf("%s: %w: %w", objects.Ref(object), ErrTaken, err)
	case err != nil || stamp.Created || plan.BornOurs(stamp.Live):
		return stamp, err
	}
	bare := &objects.Object{}
	bare.SetGroupVersionKind(object.GroupVersionKind())
	bare.SetNamespace(object.GetNamespace())
	bare.SetName(object.GetName())
	if _, err := c.stamp(ctx, kind, bare, patching{}); err != nil {
		return stamp, fmt.Errorf("give back %s: %w", objects.Ref(object), err)
	}
	return stamp, fmt.Errorf("%s: %w", objects.Ref(object), ErrTaken)
}

func (c *Cluster) stamp(ctx context.Context, kind Kind, object *objects.Object, how patching) (Stamp, error) {
	charted := kind.Charted()
	live, created, err := c.patch(ctx, object, charted, how)
	if err == nil {
		c.remember(charted, keyOf(object), live)
	}
	return Stamp{Live: live, Created: created}, err
}

// Rehearse asks what an object would be after it were applied, and changes nothing; nil where
// its namespace does not exist yet.
func (c *Cluster) Rehearse(ctx context.Context, kind Kind, object *objects.Object) (*objects.Object, bool, error) {
	live, created, err := c.patch(ctx, object, kind.Untypedly(), patching{force: true, rehearsal: true})
	if IsNotFound(err) {
		return nil, true, nil
	}
	return live, created, err
}

// Post creates an object of any kind as it is, and returns what stands. An object that stands
// already is an error (apierrors.IsAlreadyExists).
func (c *Cluster) Post(ctx context.Context, kind Kind, object *objects.Object) (*objects.Object, error) {
	return c.write(ctx, "create", kind, object, c.rest.Post, "")
}

// Put replaces an object of any kind; with a resourceVersion in it, only where nobody has
// changed it since.
func (c *Cluster) Put(ctx context.Context, kind Kind, object *objects.Object) (*objects.Object, error) {
	return c.write(ctx, "update", kind, object, c.rest.Put, object.GetName())
}

func (c *Cluster) write(ctx context.Context, verb string, kind Kind, object *objects.Object, method func() *rest.Request, name string) (*objects.Object, error) {
	body, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	raw, _, err := send(ctx, verb+" "+objects.Ref(object), func() *rest.Request {
		return c.on(method(), kind, object.GetNamespace(), name).SetHeader("Accept", kind.accept("")).
			Param("fieldManager", plan.FieldManager).Body(body)
	})
	if err != nil {
		return nil, err
	}
	live, err := decode(kind, raw)
	if err == nil {
		c.remember(kind, keyOf(live), live)
	}
	return live, err
}

// Inherit makes the fields of an object that other managers have written by updates ours, so
// that those which we do not apply go with the next apply.
func (c *Cluster) Inherit(ctx context.Context, kind Kind, live *objects.Object, managers []string) error {
	what := "take over " + objects.Ref(live)
	return retry.Do(ctx, what, func(err error) retry.Verdict { return retry.Verdict{Again: apierrors.IsConflict(err)} }, func(ctx context.Context) error {
		patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(managers...), plan.FieldManager)
		if err != nil || patch == nil {
			return err
		}
		_, _, err = send(ctx, what, func() *rest.Request {
			return c.on(c.rest.Patch(types.JSONPatchType), kind, live.GetNamespace(), live.GetName()).
				SetHeader("Accept", kind.Charted().accept("")).Body(patch)
		})
		if apierrors.IsConflict(err) { // a controller was faster: look again
			if fresh, errRead := c.get(ctx, kind.Charted(), live.GetNamespace(), live.GetName()); errRead == nil {
				live = fresh
			}
		}
		return err
	})
}

// Annotate sets annotations of an object of any kind.
func (c *Cluster) Annotate(ctx context.Context, kind Kind, namespace, name string, annotations map[string]string) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return err
	}
	return c.Merge(ctx, kind, namespace, name, body)
}

// Merge changes an object of any kind by a JSON merge patch. With a resourceVersion in the patch
// it holds for that version of the object alone; another one is a conflict.
func (c *Cluster) Merge(ctx context.Context, kind Kind, namespace, name string, patch []byte) error {
	_, _, err := send(ctx, fmt.Sprintf("change %s %s", kind, full(namespace, name)), func() *rest.Request {
		return c.on(c.rest.Patch(types.MergePatchType), kind, namespace, name).SetHeader("Accept", kind.Charted().accept("")).
			Param("fieldManager", plan.FieldManager).Body(patch)
	})
	return err
}

// RemoveAll deletes every object of a kind in a namespace that the query selects.
func (c *Cluster) RemoveAll(ctx context.Context, kind Kind, query Query) error {
	c.forget(kind)
	_, _, err := send(ctx, "delete "+kind.Resource, func() *rest.Request {
		return c.on(c.rest.Delete(), kind, query.Namespace, "").Param("labelSelector", query.Labels).
			SetHeader("Accept", kind.Charted().accept("List"))
	})
	if IsNotFound(err) {
		return nil
	}
	return err
}

// RemoveNamed deletes the object of a name, whichever it is. One that is gone is no error.
func (c *Cluster) RemoveNamed(ctx context.Context, kind Kind, namespace, name string) error {
	_, _, err := send(ctx, fmt.Sprintf("delete %s %s", kind, full(namespace, name)), func() *rest.Request {
		return c.on(c.rest.Delete(), kind, namespace, name)
	})
	if err == nil || IsNotFound(err) {
		c.remember(kind, types.NamespacedName{Namespace: namespace, Name: name}, nil)
		return nil
	}
	return err
}
