// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// put makes one class, or brings it back to what it was. One of ours that somebody made anew with
// other parameters is replaced: no volume is lost with a class.
func (c *classes) put(ctx context.Context, kept spec.KeptClass, known bool) error {
	object := classObject(kept.StorageClass, c.owner)
	live, err := c.cluster.Whole(ctx, classKind, "", kept.Name)
	if err != nil || (live == nil && kept.Old) {
		return err
	}
	if live != nil && len(plan.Diff(object, live)) == 0 {
		return nil
	}
	if live != nil && !known && !sameOwner(live, c.owner) {
		return fmt.Errorf("StorageClass %s: %w", kept.Name, kube.ErrTaken)
	}
	if live != nil && fixed(live).Print() != kept.Print() {
		if err := c.cluster.Remove(ctx, classKind, live); err != nil {
			return err
		}
		live = nil
	}
	if live == nil {
		_, err = c.cluster.Place(ctx, classKind, object)
	} else {
		_, err = c.cluster.Impose(ctx, classKind, object)
	}
	return err
}

// Remove deletes the classes that have no volumes, and refuses where one has some.
func (c *classes) Remove(ctx context.Context, raw json.RawMessage) (kept []string, err error) {
	record, err := readClasses(raw)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, class := range record.Kept {
		names[class.Name] = true
	}
	if err := refuseUse(ctx, c.cluster, names, c.lose); err != nil {
		return nil, err
	}
	for _, class := range record.Kept {
		live, err := c.cluster.Whole(ctx, classKind, "", class.Name)
		if err != nil {
			return nil, err
		}
		if live == nil {
			continue
		}
		if !sameOwner(live, c.owner) {
			kept = append(kept, "StorageClass "+class.Name+": it is not this tier's any more")
			continue
		}
		if err := c.cluster.Remove(ctx, classKind, live); err != nil {
			return nil, err
		}
	}
	return kept, c.removeFree(ctx, names)
}

// removeFree deletes the local volumes that were offered and never claimed: what made them is
// gone, and nothing is on them.
func (c *classes) removeFree(ctx context.Context, names map[string]bool) error {
	volumes, err := volumesOf(ctx, c.cluster, names)
	if err != nil {
		return err
	}
	for _, volume := range volumes {
		if volume.free && volume.local {
			if err := c.cluster.RemoveNamed(ctx, volumeKind, "", volume.name); err != nil {
				return err
			}
		}
	}
	return nil
}
