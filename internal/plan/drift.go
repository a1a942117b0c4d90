// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Drift is what happened to one object behind our back.
type Drift struct {
	Object *objects.Object // what is wanted, or what should not stand
	// Live is what stands, with its managedFields where authors shall be named; nil: deleted.
	Live    *objects.Object
	Changes []Change
	// Unwanted: the object carries our labels but is not wanted.
	Unwanted bool
}

// Lines writes one line for each difference, in a form that reads well in a plan:
//
//	Queue p0: spec.capability["nvidia.com/gpu"]: "16" -> "40", by kubectl-patch at 2026-11-30T18:00:12Z
func (d Drift) Lines() []string {
	name := objects.Ref(d.Object)
	switch {
	case d.Unwanted:
		return []string{name + ": not wanted any more, still there"}
	case d.Live == nil:
		return []string{name + ": deleted"}
	case d.Live.GetDeletionTimestamp() != nil:
		return []string{fmt.Sprintf("%s: being deleted since %s", name, d.Live.GetDeletionTimestamp().UTC().Format(time.RFC3339))}
	}
	lines := make([]string, 0, len(d.Changes))
	for _, change := range d.Changes {
		lines = append(lines, fmt.Sprintf("%s: %s: %s -> %s%s", name, change.Path, show(change.Want), show(change.Have),
			authorOf(d.Live, change).text()))
	}
	return lines
}

// ChangeLine writes one change of an object as a plan shows it: from what stands to what would.
func ChangeLine(ref string, change Change) string {
	return fmt.Sprintf("%s: %s: %s -> %s", ref, change.Path, show(change.Have), show(change.Want))
}

// longest is how much of one value a line shows.
const longest = 160

func show(value any) string {
	if empty(value) {
		return "(none)"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%v", value)
	}
	if len(text) > longest {
		return strings.ToValidUTF8(string(text[:longest]), "") + "..."
	}
	return string(text)
}
