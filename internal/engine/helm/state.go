// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"time"

	"helm.sh/helm/v3/pkg/release"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// State is how a release stands. Each state has one action that leads out of it.
type State string

// The states.
const (
	// Absent: there is no record of it. It is installed.
	Absent State = "absent"
	// Unmanaged: somebody else made it. It is refused, or taken over where it was imported.
	Unmanaged State = "unmanaged"
	// OutOfSync: its chart, values or revision are not those wanted. It is upgraded.
	OutOfSync State = "out of sync"
	// Drifted: objects of it were changed behind our back. They are applied again.
	Drifted State = "drifted"
	// Locked: a run of ours or of somebody else is at work on it, or died. It is waited for, and
	// recovered where it was ours.
	Locked State = "locked"
	// Failed: its last installation or upgrade failed. It is upgraded in place.
	Failed State = "failed"
	// Leaving: its removal began and did not end. It is removed, or installed again.
	Leaving State = "leaving"
	// InSync: nothing is to be done.
	InSync State = "in sync"
)

// entry is what the metadata of Helm's record of a revision tells.
type entry struct {
	Key      string // name of the Secret
	Revision int
	Status   release.Status
	Owner    objects.Owner
	Ours     bool
	Changed  time.Time // when its status last changed
	Renewed  string    // sign of life of the run that holds it
	Run      string    // which run wrote it first
}

// finding is what judge needs to know of a release besides its record in storage.
type finding struct {
	Latest *entry
	Owner  objects.Owner
	Record Record
	// Drifted says how many objects differ; Inputs is what is wanted now, "" where the same.
	Drifted int
	Inputs  string
}

// judge names the state of a release and the reason.
func judge(f finding) (State, string) {
	latest := f.Latest
	switch {
	case latest == nil:
		return Absent, "Helm has no record of it"
	case latest.Status.IsPending():
		return Locked, lockText(*latest)
	case latest.Status == release.StatusUninstalling:
		return Leaving, fmt.Sprintf("its removal began at %s and did not end", stamp(latest.Changed))
	case latest.Status == release.StatusUninstalled:
		return Absent, "it was uninstalled, and its history kept"
	case !mine(f):
		return Unmanaged, holder(*latest)
	case latest.Status == release.StatusFailed:
		return Failed, fmt.Sprintf("revision %d failed", latest.Revision)
	case latest.Revision != f.Record.Revision:
		return OutOfSync, fmt.Sprintf("revision %d stands, and the last one of ours is %d", latest.Revision, f.Record.Revision)
	case f.Inputs != "" && f.Inputs != f.Record.Inputs:
		return OutOfSync, "its chart, values or options have changed"
	case f.Drifted > 0:
		return Drifted, fmt.Sprintf("%d of its objects were changed", f.Drifted)
	}
	return InSync, fmt.Sprintf("revision %d stands as it was applied", latest.Revision)
}

// mine says whether a release is ours: by its labels, or because it is in our record (a
// revision that the helm command made since carries no label of ours).
func mine(f finding) bool {
	return (f.Latest.Ours && f.Latest.Owner == f.Owner) || f.Record.Revision > 0
}

func holder(e entry) string {
	if e.Ours {
		return fmt.Sprintf("it belongs to %s %q of owner %q", e.Owner.Resource, e.Owner.Name, e.Owner.Owner)
	}
	return fmt.Sprintf("revision %d was made by somebody else, with the helm command or another tool", e.Revision)
}

func lockText(e entry) string {
	by := "somebody else (the helm command or another tool)"
	if e.Ours {
		by = fmt.Sprintf("%s %q of owner %q", e.Owner.Resource, e.Owner.Name, e.Owner.Owner)
	}
	return fmt.Sprintf("revision %d is %s since %s, by %s", e.Revision, e.Status, stamp(e.Changed), by)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
