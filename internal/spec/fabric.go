// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Fabric is what is installed for the networks between nodes.
type Fabric struct {
	// Namespaces are those that get the settings of NCCL beside Trainyard's own.
	Namespaces []string
	// NCCL are settings of NCCL by pool, over those that suit its fabric; "" takes one out.
	NCCL map[string]map[string]string
	// Image is that of the RDMA device plugin; "" for the usual one.
	Image string
}

var ncclName = regexp.MustCompile(`^NCCL_[A-Z0-9_]+$`)

// Validate checks it against the pools of its cluster.
func (f Fabric) Validate(pools map[string]Pool) (v Violations) {
	for i, namespace := range f.Namespaces {
		checkLabelName(&v, Path{"namespaces", i}, namespace)
	}
	for _, pool := range slices.Sorted(maps.Keys(f.NCCL)) {
		at := Path{"nccl", Key(pool)}
		if _, known := pools[pool]; !known {
			v.Add(at, "Use one of "+strings.Join(slices.Sorted(maps.Keys(pools)), ", "), "there is no pool %q", pool)
		}
		for _, name := range slices.Sorted(maps.Keys(f.NCCL[pool])) {
			switch value := f.NCCL[pool][name]; {
			case !ncclName.MatchString(name):
				v.Add(at.At(Key(name)), "Use a name such as NCCL_IB_HCA", "%q is not a setting of NCCL", name)
			case strings.ContainsAny(value, "\n\r"):
				v.Add(at.At(Key(name)), "Write it on one line", "its value has several lines")
			}
		}
	}
	return v
}
