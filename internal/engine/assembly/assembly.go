// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package assembly

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// Assembly is a resource made of parts.
type Assembly struct {
	// Parts are in the order in which they are made.
	Parts []Part
	// Retired finds a part that an earlier run made and that is wanted no longer, by its name;
	// nil: nobody knows it any more.
	Retired func(name string) Part
}

// retired are the parts that stand by their records and are wanted no longer, latest first.
func (a Assembly) retired(records Records) (parts []Part, err error) {
	for _, entry := range slices.Backward(records) {
		if a.has(entry.Part) {
			continue
		}
		part := a.Retired(entry.Part)
		if part == nil {
			return nil, fmt.Errorf("an earlier version made the part %q, which this one does not know; use that version to remove it", entry.Part)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// Observe says how the parts that an earlier run made stand together. Gone: nothing stands.
func (a Assembly) Observe(ctx context.Context, records Records) (whole Standing, now Records, err error) {
	whole.Gone = true
	var unready []string
	for _, entry := range records {
		at := slices.IndexFunc(a.Parts, func(part Part) bool { return part.Name() == entry.Part })
		if at < 0 { // wanted no longer, and not removed yet
			now, whole.Gone = append(now, entry), false
			continue
		}
		standing, err := a.Parts[at].Observe(ctx, entry.Record)
		if err != nil {
			return whole, records, fmt.Errorf("%s: %w", entry.Part, err)
		}
		if standing.Gone {
			whole.Drift = append(whole.Drift, entry.Part+": is gone")
			continue
		}
		now, whole.Gone = now.with(Entry{Part: entry.Part, Record: standing.Record, Drift: standing.Drift}), false
		whole.Drift = append(whole.Drift, standing.Drift...)
		if standing.Unready != "" {
			unready = append(unready, entry.Part+": "+standing.Unready)
		}
	}
	whole.Unready = strings.Join(unready, "; ")
	return whole, now, nil
}

func (a Assembly) has(name string) bool {
	return slices.ContainsFunc(a.Parts, func(part Part) bool { return part.Name() == name })
}

// Preview says what Apply would do.
func (a Assembly) Preview(ctx context.Context, records Records) ([]string, error) {
	parts, err := a.retired(records)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, part := range parts {
		lines = append(lines, "delete "+part.Name())
	}
	for _, part := range a.Parts {
		entry := records.Of(part.Name())
		more, err := part.Preview(ctx, entry.Record, entry.Drift)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Name(), err)
		}
		lines = append(lines, more...)
	}
	return lines, nil
}

// Apply makes the parts in their order, after it has removed those that are wanted no longer.
// What it returns beside an error is worth keeping: the records of all that stands.
func (a Assembly) Apply(ctx context.Context, records Records) (out Outcome, now Records, err error) {
	now = records
	retired, err := a.retired(records)
	if err != nil {
		return out, now, err
	}
	var failures []error
	for _, part := range retired {
		if _, err := part.Remove(ctx, records.Of(part.Name()).Record); err != nil {
			failures = append(failures, fmt.Errorf("remove %s: %w", part.Name(), err))
			continue
		}
		now = now.without(part.Name())
		out.Touched, out.Changed = true, append(out.Changed, "delete "+part.Name())
	}
	failed := map[string]bool{}
	for _, part := range a.Parts {
		name := part.Name()
		if at := slices.IndexFunc(part.Needs(), func(need string) bool { return failed[need] }); at >= 0 {
			failed[name] = true
			failures = append(failures, fmt.Errorf("%s: waits for %s", name, part.Needs()[at]))
			continue
		}
		tflog.Info(ctx, "Applying", map[string]any{"part": name})
		made, err := part.Apply(ctx, records.Of(name).Record)
		out.Touched, out.Changed = out.Touched || made.Touched, append(out.Changed, made.Changed...)
		if made.Record != nil {
			now = now.with(Entry{Part: name, Record: made.Record})
		}
		if err != nil {
			failed[name] = true
			failures = append(failures, fmt.Errorf("%s: %w", name, err))
		}
	}
	return out, now, errors.Join(failures...)
}

// Remove takes the parts away, the last first, and stops at one that does not go: what it needs
// has to stay while it is there. It returns the records of those that still stand.
func (a Assembly) Remove(ctx context.Context, records Records) (kept []string, now Records, err error) {
	now = records
	parts, err := a.retired(records)
	if err != nil {
		return nil, now, err
	}
	for _, part := range slices.Backward(a.Parts) {
		if records.at(part.Name()) >= 0 {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		more, err := part.Remove(ctx, records.Of(part.Name()).Record)
		kept = append(kept, more...)
		if err != nil {
			return kept, now, fmt.Errorf("remove %s: %w", part.Name(), err)
		}
		now = now.without(part.Name())
	}
	return kept, now, nil
}
