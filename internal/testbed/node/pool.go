// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"strconv"
	"strings"
)

// Pool is a number of equal nodes.
type Pool struct {
	// Accelerator is the short name of what the nodes carry; it also names the
	// pool and its nodes.
	Accelerator string `json:"accelerator"`
	// Nodes is how many nodes the pool has.
	Nodes int `json:"nodes"`
}

// maxNodes is the number of nodes in one cluster up to which Kubernetes is
// tested: https://kubernetes.io/docs/setup/best-practices/cluster-large/
const maxNodes = 5000

// ParsePool reads a pool written as accelerator=nodes, such as "h100=8".
func ParsePool(text string) (Pool, error) {
	name, count, ok := strings.Cut(text, "=")
	if !ok {
		return Pool{}, fmt.Errorf("cannot read pool %q: write it as accelerator=nodes, such as h100=8", text)
	}
	nodes, err := strconv.Atoi(count)
	if err != nil {
		return Pool{}, fmt.Errorf("cannot read pool %q: %q is not a number of nodes", text, count)
	}
	pool := Pool{Accelerator: strings.ToLower(name), Nodes: nodes}
	return pool, Validate([]Pool{pool})
}

// Validate refuses pools that cannot be: unknown accelerators, two pools of one
// accelerator, a negative or an unreasonable number of nodes.
func Validate(pools []Pool) error {
	seen := map[string]bool{}
	for _, pool := range pools {
		if _, err := Lookup(pool.Accelerator); err != nil {
			return err
		}
		if seen[pool.Accelerator] {
			return fmt.Errorf("pool %q is given twice: give one number of nodes", pool.Accelerator)
		}
		seen[pool.Accelerator] = true
		if pool.Nodes < 0 {
			return fmt.Errorf("pool %q cannot have %d nodes: give 0 or more", pool.Accelerator, pool.Nodes)
		}
	}
	if total := Total(pools); total > maxNodes {
		return fmt.Errorf("%d nodes are too many: one Kubernetes cluster holds %d", total, maxNodes)
	}
	return nil
}

// Total is the number of nodes in all pools.
func Total(pools []Pool) int {
	total := 0
	for _, pool := range pools {
		total += pool.Nodes
	}
	return total
}
