// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/s3"
)

// Apply deletes the buckets that are wanted no longer and brings the others to what is wanted.
// One that fails keeps back none of the others.
func (b *buckets) Apply(ctx context.Context, raw json.RawMessage) (out assembly.Outcome, err error) {
	out.Record = raw
	record, err := readBuckets(raw)
	if err != nil {
		return out, err
	}
	server, err := b.open(ctx)
	if err != nil {
		return out, err
	}
	record.Made = maps.Clone(record.Made)
	var failures []error
	for _, name := range b.dropped(record) {
		if err := server.Remove(ctx, b.removal(name)); err != nil {
			failures = append(failures, err)
			continue
		}
		delete(record.Made, name)
		out.Touched, out.Changed = true, append(out.Changed, fmt.Sprintf("bucket %s: delete", name))
	}
	for _, want := range b.wants(record) {
		have, err := server.Observe(ctx, want.Name, want.Features())
		if err != nil {
			failures = append(failures, err)
			continue
		}
		changes := s3.Between(want, have)
		_, err = server.Apply(ctx, want, have, changes)
		if err == nil {
			record.Made[want.Name] = want.Given()
			out.Touched, out.Changed = out.Touched || len(changes) > 0, append(out.Changed, s3.Lines(changes)...)
			continue
		}
		failures = append(failures, advise(err))
		// A bucket that came to be before it failed carries our tag, and is this tier's.
		if stands, errLook := server.Observe(ctx, want.Name, nil); errLook == nil && stands.Exists && (want.Kept || stands.Owner == b.owner) {
			record.Made[want.Name], out.Touched = want.Given().And(want.Before), true
		}
	}
	if out.Record, err = json.Marshal(record); err != nil {
		failures = append(failures, err)
	}
	return out, errors.Join(failures...)
}

func (b *buckets) removal(name string) s3.Removal {
	return s3.Removal{Name: name, Owner: b.owner, Lose: b.lose, Argument: "delete = { data = true }"}
}

// Remove deletes the buckets in their order, and stops at one that holds what may not be lost.
func (b *buckets) Remove(ctx context.Context, raw json.RawMessage) ([]string, error) {
	record, err := readBuckets(raw)
	if err != nil || len(record.Made) == 0 {
		return nil, err
	}
	server, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(record.Made)) {
		if err := server.Remove(ctx, b.removal(name)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
