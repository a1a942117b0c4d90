// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// capacity remembers what the nodes have, for the life of a process: it only feeds warnings.
type capacity struct {
	lock  sync.Mutex
	read  bool
	total map[string]resource.Quantity
}

// Allocatable sums what all nodes have for pods, by resource. nil where nodes may not be listed.
func (c *Cluster) Allocatable(ctx context.Context) (map[string]resource.Quantity, error) {
	c.capacity.lock.Lock()
	defer c.capacity.lock.Unlock()
	if c.capacity.read {
		return c.capacity.total, nil
	}
	lists, err := Read(ctx, c, Node, Query{}, func(node *corev1.Node) (corev1.ResourceList, bool) {
		return node.Status.Allocatable, true
	})
	if IsForbidden(err) {
		c.capacity.read = true
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	total := map[string]resource.Quantity{}
	for _, list := range lists {
		for name, quantity := range list {
			sum := total[string(name)]
			sum.Add(quantity)
			total[string(name)] = sum
		}
	}
	c.capacity.total, c.capacity.read = total, true
	return total, nil
}
