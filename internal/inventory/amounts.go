// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// add puts more onto total.
func add(total, more corev1.ResourceList) {
	for name, quantity := range more {
		sum := total[name].DeepCopy()
		sum.Add(quantity)
		total[name] = sum
	}
}

// raise lifts every amount of total to that of floor.
func raise(total, floor corev1.ResourceList) {
	for name, quantity := range floor {
		if present, ok := total[name]; !ok || present.Cmp(quantity) < 0 {
			total[name] = quantity.DeepCopy()
		}
	}
}

// left is what is left of whole after taken, never less than nothing.
func left(whole, taken corev1.ResourceList) corev1.ResourceList {
	rest := make(corev1.ResourceList, len(whole))
	for name, quantity := range whole {
		remaining := quantity.DeepCopy()
		remaining.Sub(taken[name])
		if remaining.Sign() < 0 {
			remaining = *resource.NewQuantity(0, quantity.Format)
		}
		rest[name] = remaining
	}
	return rest
}

// only keeps the amounts whose names counts accepts.
func only(list corev1.ResourceList, counts func(corev1.ResourceName) bool) corev1.ResourceList {
	kept := corev1.ResourceList{}
	for name, quantity := range list {
		if counts(name) {
			kept[name] = quantity
		}
	}
	return kept
}
