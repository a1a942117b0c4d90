// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// BeyondCluster finds the devices of which more is asked for than the cluster has. It is a
// warning: nodes may be on their way, and until then the surplus binds nobody.
func BeyondCluster(path Path, asked Resources, has map[string]resource.Quantity) Violations {
	var v Violations
	for _, name := range asked.Names() {
		quantity, err := ParseQuantity(asked[name])
		total := has[name]
		if err != nil || !isExtended(name) || quantity.Cmp(total) <= 0 {
			continue
		}
		v.Add(path.At(Key(name)), "Lower it, or add nodes; where an autoscaler adds them, this is as it should be",
			"%s of %s is more than the %s that all nodes together have now", asked[name], name, total.String())
	}
	return v
}

// GangRoom finds the devices of which a team's quota has no room for the largest gang that
// waits in its namespace. The gang's pods are made one by one and count at once: part of them
// fit, hold their share of the quota, and two such gangs wait for each other for ever.
func GangRoom(path Path, quota Resources, gang string, needs Resources) Violations {
	var v Violations
	for _, name := range needs.Names() {
		limit, bound := quota[name]
		room, errRoom := ParseQuantity(limit)
		need, errNeed := ParseQuantity(needs[name])
		if !bound || errRoom != nil || errNeed != nil || need.Cmp(room) <= 0 {
			continue
		}
		v.Add(path.At(Key(name)), fmt.Sprintf("Give at least %s, or make the job smaller", needs[name]),
			"%s waits for %s of %s, and the quota of %s never lets all of its pods exist", gang, needs[name], name, limit)
	}
	return v
}
