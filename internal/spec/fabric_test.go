// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFabricIsCheckedAgainstItsPools(t *testing.T) {
	f := Fabric{Namespaces: []string{"team-a", "Team"}, NCCL: map[string]map[string]string{
		"h100": {"NCCL_DEBUG": "WARN", "nccl_debug": "x", "NCCL_ALGO": "a\nb"}, "none": {},
	}}
	var got []string
	for _, violation := range f.Validate(map[string]Pool{"h100": {Name: "h100"}}) {
		got = append(got, violation.Path.String())
	}
	want := []string{`namespaces[1]`, `nccl["h100"]["NCCL_ALGO"]`, `nccl["h100"]["nccl_debug"]`, `nccl["none"]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v := (Scheduler{Shares: "fair"}).Validate(); len(v) != 1 {
		t.Errorf("a way to share that there is not: %v", v)
	}
}
