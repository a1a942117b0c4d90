// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/s3"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// buckets is the part of a tier that keeps its buckets.
type buckets struct {
	// open connects to the server. errNoKeys: the Secret with its keys is not there.
	open func(context.Context) (*s3.Server, error)
	want map[string]spec.Bucket
	// adopt are the keys of buckets that may be taken over.
	adopt map[string]bool
	owner string
	needs []string
	lose  bool
	// later: the server comes with the same apply, and cannot be asked before.
	later bool
}

// errNoKeys: nobody knows the keys of the server now.
var errNoKeys = errors.New("the Secret with the keys of the S3 server is not there")

// bucketsRecord is what an earlier run made, by the name of the bucket.
type bucketsRecord struct {
	Made map[string]s3.Given `json:"made"`
}

var _ assembly.Part = (*buckets)(nil)

func (*buckets) Name() string      { return partBuckets }
func (b *buckets) Needs() []string { return b.needs }

func readBuckets(raw json.RawMessage) (record bucketsRecord, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &record)
	}
	if record.Made == nil {
		record.Made = map[string]s3.Given{}
	}
	return record, err
}

// wants are the wanted buckets in the order of their names.
func (b *buckets) wants(record bucketsRecord) (all []s3.Want) {
	for _, key := range slices.Sorted(maps.Keys(b.want)) {
		bucket := b.want[key]
		before, kept := record.Made[bucket.Name]
		all = append(all, s3.Want{Bucket: bucket, Owner: b.owner, Adopt: b.adopt[key] && !kept, Kept: kept, Before: before})
	}
	slices.SortFunc(all, func(x, y s3.Want) int { return cmp.Compare(x.Name, y.Name) })
	return all
}

// dropped are the buckets that stand and are wanted no longer.
func (b *buckets) dropped(record bucketsRecord) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(record.Made)) {
		if !slices.ContainsFunc(slices.Collect(maps.Values(b.want)), func(bucket spec.Bucket) bool { return bucket.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// Observe says what somebody changed of the buckets.
func (b *buckets) Observe(ctx context.Context, raw json.RawMessage) (standing assembly.Standing, err error) {
	record, err := readBuckets(raw)
	standing.Record = raw
	if err != nil || len(record.Made) == 0 {
		return standing, err
	}
	server, err := b.open(ctx)
	if errors.Is(err, errNoKeys) { // which is drift of the part that keeps them
		standing.Unready = err.Error()
		return standing, nil
	}
	if err != nil {
		return standing, err
	}
	for _, want := range b.wants(record) {
		if !want.Kept {
			continue
		}
		have, err := server.Observe(ctx, want.Name, want.Features())
		if refused(err) { // the keys were changed at the server; those of the configuration may be right
			standing.Unready = err.Error() + ". Give the new key, and another secret_key_wo_revision with it"
			return standing, nil
		}
		if err != nil {
			return standing, err
		}
		if !have.Exists {
			standing.Drift = append(standing.Drift, gone(want.Name))
			continue
		}
		standing.Drift = append(standing.Drift, s3.Lines(s3.Between(want, have))...)
	}
	return standing, nil
}

// gone is the drift of a bucket that somebody deleted.
func gone(name string) string { return fmt.Sprintf("bucket %s: deleted", name) }

// refused says whether the server does not know the keys.
func refused(err error) bool {
	var fault *s3.Fault
	return errors.As(err, &fault) && (fault.Code == "InvalidAccessKeyId" || fault.Code == "SignatureDoesNotMatch")
}

// Preview says what becomes of the buckets, and refuses what their server cannot do.
func (b *buckets) Preview(ctx context.Context, raw json.RawMessage, found []string) (lines []string, err error) {
	record, err := readBuckets(raw)
	if err != nil {
		return nil, err
	}
	for _, line := range found {
		lines = append(lines, "repair "+line)
	}
	for _, name := range b.dropped(record) {
		lines = append(lines, fmt.Sprintf("bucket %s: delete", name))
	}
	server, err := b.open(ctx)
	if b.later || errors.Is(err, errNoKeys) {
		for _, want := range b.wants(record) {
			if !want.Kept {
				lines = append(lines, fmt.Sprintf("bucket %s: create", want.Name))
			}
		}
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	for _, want := range b.wants(record) {
		have, err := server.Observe(ctx, want.Name, want.Features())
		if err == nil {
			err = want.Refuse(have)
		}
		if err != nil {
			return nil, spec.At(spec.Path{"object", "buckets"}, advise(err))
		}
		if slices.Contains(found, gone(want.Name)) {
			continue // and made anew
		}
		for _, line := range s3.Lines(s3.Between(want, have)) {
			if !slices.Contains(found, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines, nil
}

// advise says how a bucket is adopted.
func advise(err error) error {
	var taken *s3.TakenError
	if errors.As(err, &taken) {
		return fmt.Errorf("%w. Set adopt = true on the bucket for that", err)
	}
	return err
}
