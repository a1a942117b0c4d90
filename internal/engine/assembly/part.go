// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package assembly keeps a resource that is made of parts: charts, nodes, objects. Parts are
// made in their order and removed in the opposite one, so that what a part needs is there while
// it is. A part that fails keeps back only those that need it.
package assembly

import (
	"context"
	"encoding/json"
	"slices"
)

// Part is one thing that a resource is made of. Its record is what it remembers between runs.
type Part interface {
	// Name is unique among the parts of a resource, for people and in the record.
	Name() string
	// Needs are the names of parts that have to stand before this one is made.
	Needs() []string
	// Observe says how it stands.
	Observe(ctx context.Context, record json.RawMessage) (Standing, error)
	// Preview says what Apply would do, line by line; none: nothing. found is the drift that the
	// last look found in this part. It does not fail where the cluster cannot be asked now.
	Preview(ctx context.Context, record json.RawMessage, found []string) ([]string, error)
	// Apply brings it about.
	Apply(ctx context.Context, record json.RawMessage) (Outcome, error)
	// Remove takes it away, and names what it left.
	Remove(ctx context.Context, record json.RawMessage) (kept []string, err error)
}

// Standing is how a part stands.
type Standing struct {
	// Gone: nothing of it stands.
	Gone bool
	// Unready is why it is not ready; "" is ready.
	Unready string
	// Drift is what somebody else changed.
	Drift  []string
	Record json.RawMessage
}

// Outcome is what came of making a part.
type Outcome struct {
	// Touched: something was written.
	Touched bool
	// Changed is what was done.
	Changed []string
	Record  json.RawMessage
}

// Records hold what each part that stands remembers, in the order in which they were made.
type Records []Entry

// Entry is the record of one part, and the drift that the last look found in it.
type Entry struct {
	Part   string          `json:"part"`
	Record json.RawMessage `json:"record,omitempty"`
	Drift  []string        `json:"drift,omitempty"`
}

func (r Records) at(part string) int {
	return slices.IndexFunc(r, func(e Entry) bool { return e.Part == part })
}

// Of returns the entry of a part; one that does not stand is empty.
func (r Records) Of(part string) Entry {
	if at := r.at(part); at >= 0 {
		return r[at]
	}
	return Entry{Part: part}
}

// with returns the records with that of one part, in its old place or at the end.
func (r Records) with(entry Entry) Records {
	next := slices.Clone(r)
	if at := next.at(entry.Part); at >= 0 {
		next[at] = entry
		return next
	}
	return append(next, entry)
}

// without returns the records without that of one part.
func (r Records) without(part string) Records {
	return slices.DeleteFunc(slices.Clone(r), func(e Entry) bool { return e.Part == part })
}
