// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// classes is the part of a tier that keeps its StorageClasses. A class cannot change: one with
// other parameters is made beside it, and the old one stays for the volumes that it has.
type classes struct {
	cluster *kube.Cluster
	owner   objects.Owner
	// want are the classes by purpose, under the names that they stand or will stand under.
	want map[string]spec.StorageClass
	// needs are the parts that have to stand before: what provisions the volumes.
	needs []string
	lose  bool
}

type classesRecord struct {
	Kept []spec.KeptClass `json:"kept"`
}

var _ assembly.Part = (*classes)(nil)

func (*classes) Name() string      { return partClasses }
func (c *classes) Needs() []string { return c.needs }

func readClasses(raw json.RawMessage) (record classesRecord, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &record)
	}
	return record, err
}

// next is the record once the wanted classes stand: they, and those whose place they took.
func (c *classes) next(record classesRecord) (next classesRecord) {
	wanted := map[string]bool{}
	for _, purpose := range slices.Sorted(maps.Keys(c.want)) {
		wanted[c.want[purpose].Name] = true
		next.Kept = append(next.Kept, spec.KeptClass{StorageClass: c.want[purpose], Purpose: purpose})
	}
	for _, before := range record.Kept {
		if !wanted[before.Name] {
			before.Old, before.Default = true, false
			next.Kept = append(next.Kept, before)
		}
	}
	return next
}

// Observe says what somebody changed of the classes. One that is old and gone is forgotten.
func (c *classes) Observe(ctx context.Context, raw json.RawMessage) (standing assembly.Standing, err error) {
	record, err := readClasses(raw)
	if err != nil {
		return standing, err
	}
	var now classesRecord
	standing.Gone = true
	for _, kept := range record.Kept {
		live, err := c.cluster.Whole(ctx, classKind, "", kept.Name)
		if err != nil {
			return standing, err
		}
		if live == nil && kept.Old {
			continue
		}
		standing.Gone = standing.Gone && live == nil
		object := classObject(kept.StorageClass, c.owner)
		found := plan.Drift{Object: object, Live: live}
		if live != nil {
			found.Changes = plan.Diff(object, live)
		}
		now.Kept, standing.Drift = append(now.Kept, kept), append(standing.Drift, found.Lines()...)
	}
	standing.Record, err = json.Marshal(now)
	return standing, err
}

// Preview says which classes come, and what changes of those that stand.
func (c *classes) Preview(ctx context.Context, raw json.RawMessage, found []string) (lines []string, err error) {
	record, err := readClasses(raw)
	if err != nil {
		return nil, err
	}
	for _, line := range found {
		lines = append(lines, "repair "+line)
	}
	before := map[string]spec.KeptClass{}
	for _, kept := range record.Kept {
		before[kept.Name] = kept
	}
	for _, kept := range c.next(record).Kept {
		stands, known := before[kept.Name]
		if !known {
			if err := c.free(ctx, kept.StorageClass); err != nil {
				return nil, err
			}
			lines = append(lines, "create StorageClass "+kept.Name)
			continue
		}
		for _, change := range plan.Diff(classObject(kept.StorageClass, c.owner), classObject(stands.StorageClass, c.owner)) {
			lines = append(lines, "change "+plan.ChangeLine("StorageClass "+kept.Name, change))
		}
		if kept.Old && !stands.Old {
			lines = append(lines, "keep StorageClass "+kept.Name+" (a class cannot change; its volumes stay as they are)")
		}
	}
	return lines, nil
}

// free refuses the name of a class that somebody else has.
func (c *classes) free(ctx context.Context, class spec.StorageClass) error {
	if c.cluster == nil {
		return nil
	}
	live, err := c.cluster.Whole(ctx, classKind, "", class.Name)
	if err != nil || live == nil || sameOwner(live, c.owner) {
		return err
	}
	return fmt.Errorf("the StorageClass %s exists and is not this tier's. Choose another name for the class, or delete it: volumes that it has made keep working without it", class.Name)
}

// Apply makes the classes, and takes the default from those whose place is taken.
func (c *classes) Apply(ctx context.Context, raw json.RawMessage) (out assembly.Outcome, err error) {
	out.Record = raw
	record, err := readClasses(raw)
	if err != nil {
		return out, err
	}
	known := map[string]bool{}
	for _, kept := range record.Kept {
		known[kept.Name] = true
	}
	if out.Changed, err = c.Preview(ctx, raw, nil); err != nil {
		return out, err
	}
	next := c.next(record)
	// The old first: two defaults must not stand at a time.
	slices.SortStableFunc(next.Kept, func(a, b spec.KeptClass) int { return order(b.Old) - order(a.Old) })
	for _, kept := range next.Kept {
		if err := c.put(ctx, kept, known[kept.Name]); err != nil {
			return out, err
		}
		out.Touched = true
		if out.Record, err = json.Marshal(record.with(kept)); err != nil {
			return out, err
		}
		record = record.with(kept)
	}
	out.Record, err = json.Marshal(next)
	return out, err
}

func order(old bool) int {
	if old {
		return 1
	}
	return 0
}

func (r classesRecord) with(kept spec.KeptClass) classesRecord {
	next := classesRecord{Kept: slices.Clone(r.Kept)}
	at := slices.IndexFunc(next.Kept, func(k spec.KeptClass) bool { return k.Name == kept.Name })
	if at < 0 {
		next.Kept = append(next.Kept, kept)
	} else {
		next.Kept[at] = kept
	}
	return next
}
