// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// amounts builds a list out of names and quantities.
func amounts(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func container(pairs ...string) corev1.Container {
	return corev1.Container{Resources: corev1.ResourceRequirements{Requests: amounts(pairs...)}}
}

func sidecar(pairs ...string) corev1.Container {
	always := corev1.ContainerRestartPolicyAlways
	c := container(pairs...)
	c.RestartPolicy = &always
	return c
}

// texts makes lists comparable: quantities of the same amount have many forms.
func texts(list corev1.ResourceList) map[string]string {
	shown := map[string]string{}
	for name, quantity := range list {
		shown[string(name)] = quantity.String()
	}
	return shown
}

func TestRequests(t *testing.T) {
	for _, test := range []struct {
		name string
		spec corev1.PodSpec
		want corev1.ResourceList
	}{
		{"nothing asked for", corev1.PodSpec{Containers: []corev1.Container{{}}}, amounts()},
		{
			"containers add up",
			corev1.PodSpec{Containers: []corev1.Container{container("cpu", "1", "nvidia.com/gpu", "4"), container("cpu", "500m")}},
			amounts("cpu", "1500m", "nvidia.com/gpu", "4"),
		},
		{
			"the largest init container counts where it is more",
			corev1.PodSpec{
				InitContainers: []corev1.Container{container("cpu", "4"), container("cpu", "3", "memory", "1Gi")},
				Containers:     []corev1.Container{container("cpu", "1", "memory", "2Gi")},
			},
			amounts("cpu", "4", "memory", "2Gi"),
		},
		{
			"init containers do not add up with the containers",
			corev1.PodSpec{
				InitContainers: []corev1.Container{container("nvidia.com/gpu", "8")},
				Containers:     []corev1.Container{container("nvidia.com/gpu", "8")},
			},
			amounts("nvidia.com/gpu", "8"),
		},
		{
			"a sidecar runs beside the containers",
			corev1.PodSpec{
				InitContainers: []corev1.Container{sidecar("cpu", "1")},
				Containers:     []corev1.Container{container("cpu", "2")},
			},
			amounts("cpu", "3"),
		},
		{
			"an init container runs beside the sidecars before it, not those after it",
			corev1.PodSpec{
				InitContainers: []corev1.Container{sidecar("cpu", "1"), container("cpu", "5"), sidecar("cpu", "2")},
				Containers:     []corev1.Container{container("cpu", "2")},
			},
			amounts("cpu", "6"),
		},
		{
			"the pod's own requests go before those of its containers",
			corev1.PodSpec{
				Resources:  &corev1.ResourceRequirements{Requests: amounts("cpu", "10")},
				Containers: []corev1.Container{container("cpu", "2", "nvidia.com/gpu", "1")},
			},
			amounts("cpu", "10", "nvidia.com/gpu", "1"),
		},
		{
			"overhead comes on top of all",
			corev1.PodSpec{
				InitContainers: []corev1.Container{container("cpu", "4")},
				Containers:     []corev1.Container{container("cpu", "1")},
				Overhead:       amounts("cpu", "250m", "memory", "120Mi"),
			},
			amounts("cpu", "4250m", "memory", "120Mi"),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: test.spec}
			before := pod.DeepCopy()
			if diff := cmp.Diff(texts(test.want), texts(Requests(pod))); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if !cmp.Equal(before, pod) {
				t.Error("the pod was changed")
			}
		})
	}
}

func TestPodFrom(t *testing.T) {
	bound := func(phase corev1.PodPhase, node string) *corev1.Pod {
		return &corev1.Pod{
			Spec:   corev1.PodSpec{NodeName: node, Containers: []corev1.Container{container("cpu", "1", "ephemeral-storage", "1Gi", "nvidia.com/gpu", "2")}},
			Status: corev1.PodStatus{Phase: phase},
		}
	}
	for _, test := range []struct {
		name  string
		pod   *corev1.Pod
		holds bool
	}{
		{"running", bound(corev1.PodRunning, "n1"), true},
		{"bound and not started", bound(corev1.PodPending, "n1"), true},
		{"not bound", bound(corev1.PodPending, ""), false},
		{"succeeded", bound(corev1.PodSucceeded, "n1"), false},
		{"failed", bound(corev1.PodFailed, "n1"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := PodFrom(test.pod, Counter(nil))
			if ok != test.holds {
				t.Fatalf("holds = %t, want %t", ok, test.holds)
			}
			if diff := cmp.Diff(texts(amounts("cpu", "1", "nvidia.com/gpu", "2")), texts(got.Requests)); ok && diff != "" {
				t.Errorf("only what counts is kept (-want +got):\n%s", diff)
			}
		})
	}
}
