// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	corev1 "k8s.io/api/core/v1"
)

// Pod is what a pod takes from its node.
type Pod struct {
	Node     string
	Requests corev1.ResourceList
}

// PodFrom keeps of a pod the requests that counts accepts; ok is false where the pod holds
// nothing: it is bound to no node, or it has ended.
func PodFrom(pod *corev1.Pod, counts func(corev1.ResourceName) bool) (taken Pod, ok bool) {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if pod.Spec.NodeName == "" || ended {
		return Pod{}, false
	}
	return Pod{Node: pod.Spec.NodeName, Requests: only(Requests(pod), counts)}, true
}

// Requests is what the scheduler counts for a pod: the containers and the sidecars (init
// containers that keep running) together, or what the start needs at its peak where that is
// more; the pod's own requests in place of its containers' where it has any; and the runtime's
// overhead. Kubernetes documents the rule under "Resource sharing within containers" of
// sidecar containers. Devices given out by resource claims are no requests.
func Requests(pod *corev1.Pod) corev1.ResourceList {
	running, sidecars, peak := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range pod.Spec.Containers {
		add(running, pod.Spec.Containers[i].Resources.Requests)
	}
	for i := range pod.Spec.InitContainers {
		container := &pod.Spec.InitContainers[i]
		if isSidecar(container) {
			add(running, container.Resources.Requests)
			add(sidecars, container.Resources.Requests)
			raise(peak, sidecars)
			continue
		}
		step := corev1.ResourceList{}
		add(step, sidecars) // those that were started before it
		add(step, container.Resources.Requests)
		raise(peak, step)
	}
	raise(running, peak)
	if pod.Spec.Resources != nil {
		for name, quantity := range pod.Spec.Resources.Requests {
			running[name] = quantity.DeepCopy()
		}
	}
	add(running, pod.Spec.Overhead)
	return running
}

func isSidecar(container *corev1.Container) bool {
	return container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
}
