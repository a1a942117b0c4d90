// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// Observe returns what stands of a resource: the objects that are wanted, wherever they
// came from, and every other object of these kinds that carries the owner's labels.
func Observe(ctx context.Context, cluster *kube.Cluster, owner objects.Owner, kinds []kube.Kind, want []*objects.Object) ([]*objects.Object, error) {
	seen := map[string]bool{}
	var have []*objects.Object
	for _, object := range want {
		if seen[objects.Ref(object)] {
			continue
		}
		kind, err := kube.KindOf(object)
		if err != nil {
			return nil, err
		}
		live, err := cluster.Lookup(ctx, kind, object.GetNamespace(), object.GetName())
		if err != nil {
			return nil, err
		}
		seen[objects.Ref(object)] = true
		if live != nil {
			have = append(have, live)
		}
	}
	for _, kind := range kinds {
		owned, err := cluster.Owned(ctx, kind, owner)
		if err != nil {
			return nil, err
		}
		for _, live := range owned {
			if !seen[objects.Ref(live)] {
				have = append(have, live)
			}
		}
	}
	return have, nil
}

// Drifts compares what is wanted with what stands. The objects that differ, and only
// those, are read again, so that a drift names who caused it.
func Drifts(ctx context.Context, cluster *kube.Cluster, want, have []*objects.Object) ([]plan.Drift, error) {
	live := map[string]*objects.Object{}
	for _, object := range have {
		live[objects.Ref(object)] = object
	}
	var drifts []plan.Drift
	for _, object := range want {
		found := live[objects.Ref(object)]
		delete(live, objects.Ref(object))
		drift := plan.Drift{Object: object, Live: found}
		if found != nil {
			drift.Changes = append(plan.Diff(object, found), plan.Lost(object, found)...)
			if len(drift.Changes) == 0 && found.GetDeletionTimestamp() == nil {
				continue
			}
			kind, err := kube.KindOf(object)
			if err != nil {
				return nil, err
			}
			if drift.Live, err = cluster.Get(ctx, kind, object.GetNamespace(), object.GetName()); err != nil {
				return nil, err
			}
		}
		drifts = append(drifts, drift)
	}
	for _, object := range have {
		if live[objects.Ref(object)] != nil {
			drifts = append(drifts, plan.Drift{Object: object, Live: object, Unwanted: true})
		}
	}
	return drifts, nil
}

// Authored reads objects again, with the labels and annotations that Trainyard wrote and no
// others: when a resource is imported, those of others must not become its own.
func Authored(ctx context.Context, cluster *kube.Cluster, have []*objects.Object) ([]*objects.Object, error) {
	var again []*objects.Object
	for _, object := range have {
		kind, err := kube.KindOf(object)
		if err != nil {
			return nil, err
		}
		live, err := cluster.Get(ctx, kind, object.GetNamespace(), object.GetName())
		if err != nil {
			return nil, err
		}
		if live != nil {
			again = append(again, plan.Authored(live))
		}
	}
	return again, nil
}

// ErrForeign says that an object of the wanted name stands and belongs to somebody else.
var ErrForeign = errors.New("it exists and is not managed by this resource")

// CheckOwnership refuses to take objects that somebody else made. Objects that an earlier
// run of ours is known to have had (prior) are ours whatever their labels say now.
func CheckOwnership(owner objects.Owner, prior, have []*objects.Object) error {
	ours := map[string]bool{}
	for _, object := range prior {
		ours[objects.Ref(object)] = true
	}
	for _, object := range have {
		holder, labelled := objects.OwnerOf(object.GetLabels())
		if ours[objects.Ref(object)] || holder == owner || plan.Shared(object) {
			continue
		}
		if labelled {
			return fmt.Errorf("%s: %w: it belongs to %s %q of owner %q. Choose another name, or import it if that configuration has given it up",
				objects.Ref(object), ErrForeign, holder.Resource, holder.Name, holder.Owner)
		}
		return fmt.Errorf("%s: %w. Import it to take it over, or choose another name", objects.Ref(object), ErrForeign)
	}
	return nil
}
