// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Query narrows a list; every field may be empty.
type Query struct{ Namespace, Labels, Fields string }

// mostRestarts bounds how often one list begins again.
const mostRestarts = 3

// collect lists a kind and returns what keep makes of its objects. It is called page by
// page, so that no more than one page is held whole. When the server has forgotten where a
// page ended (410), the list starts again.
func collect[T any](ctx context.Context, c *Cluster, kind Kind, query Query, keep func(runtime.Object) (T, bool)) ([]T, error) {
	var all []T
	for token, restarts := "", 0; ; {
		items, next, err := c.page(ctx, kind, query, token)
		if apierrors.IsResourceExpired(err) && restarts < mostRestarts {
			token, restarts, all = "", restarts+1, nil
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if kept, ok := keep(item); ok {
				all = append(all, kept)
			}
		}
		if token = next; token == "" {
			return all, nil
		}
	}
}

// each visits every object of a list once all its pages are there.
func (c *Cluster) each(ctx context.Context, kind Kind, query Query, visit func(runtime.Object)) error {
	all, err := collect(ctx, c, kind, query, func(item runtime.Object) (runtime.Object, bool) { return item, true })
	for _, item := range all {
		visit(item)
	}
	return err
}

// List reads a kind afresh, past the snapshot, and converts each object with visit.
func (c *Cluster) List(ctx context.Context, kind Kind, query Query, visit func(*objects.Object)) error {
	return c.each(ctx, kind, query, func(item runtime.Object) { visit(asObject(kind, item)) })
}

// Read lists a kind afresh in its typed form and keeps what keep makes of each object, for
// kinds of which there are many and little matters. keep may see an object twice, and its
// results of the first time are dropped, when the list has to start again.
func Read[O runtime.Object, T any](ctx context.Context, c *Cluster, kind Kind, query Query, keep func(O) (T, bool)) ([]T, error) {
	var strange error
	all, err := collect(ctx, c, kind, query, func(item runtime.Object) (kept T, ok bool) {
		typed, expected := item.(O)
		if !expected {
			strange = fmt.Errorf("list %s: the API server answered with %T", kind.Resource, item)
			return kept, false
		}
		return keep(typed)
	})
	if err == nil {
		err = strange
	}
	return all, err
}
