// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPathIsWrittenAsTerraformWritesIt(t *testing.T) {
	for want, path := range map[string]Path{
		"":                                    nil,
		"name":                                {"name"},
		"members.admins.users[2]":             {"members", "admins", "users", 2},
		`quota.requests["nvidia.com/gpu"]`:    {"quota", "requests", Key("nvidia.com/gpu")},
		`network.egress_cidrs["::/0"].except`: {"network", "egress_cidrs", Key("::/0"), "except"},
	} {
		if got := path.String(); got != want {
			t.Errorf("path reads %q, want %q", got, want)
		}
	}
}

func TestPathsShareNoMemory(t *testing.T) {
	root := make(Path, 1, 8)
	root[0] = "quota"
	requests, limits := root.At("requests"), root.At("limits")
	if got, want := []string{requests.String(), limits.String()}, []string{"quota.requests", "quota.limits"}; !cmp.Equal(got, want) {
		t.Errorf("paths read %q, want %q", got, want)
	}
}

func TestViolationSaysWhereWhatAndWhatToDo(t *testing.T) {
	var v Violations
	v.Add(Path{"weight"}, "Give 1 or more", "%d is negative", -3)
	if got, want := v[0].Error(), "weight: -3 is negative. Give 1 or more"; got != want {
		t.Errorf("violation reads %q, want %q", got, want)
	}
}
