// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// Editor is the field manager of hand edits.
const Editor = "kubectl-edit"

// Kinds that only tests write.
var (
	ConfigMap         = Kind("", "v1", "ConfigMap", "configmaps", true)
	ClusterRole       = Kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false)
	ClusterBinding    = Kind("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false)
	ValidatingWebhook = Kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false)
)

// Kind describes a kind of object.
func Kind(group, version, kind, resource string, namespaced bool) kube.Kind {
	return kube.Kind{
		GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: kind},
		Resource:         resource, Namespaced: namespaced,
	}
}

func (b *Bed) on(kind kube.Kind, namespace string) dynamic.ResourceInterface {
	all := b.dynamic.Resource(kind.GroupVersion().WithResource(kind.Resource))
	if kind.Namespaced {
		return all.Namespace(namespace)
	}
	return all
}

// patience bounds every request and every wait of the tests' own.
const patience = 60 * time.Second

func (b *Bed) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(b.t.Context()), patience) // cleanups need it, too
}

// Find returns an object as it stands, nil where there is none.
func (b *Bed) Find(kind kube.Kind, namespace, name string) *objects.Object {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	found, err := b.on(kind, namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	b.check(err, "read "+kind.Kind+" "+name)
	return found
}

// Get returns an object that must stand.
func (b *Bed) Get(kind kube.Kind, namespace, name string) *objects.Object {
	b.t.Helper()
	found := b.Find(kind, namespace, name)
	if found == nil {
		b.t.Fatalf("there is no %s %s/%s", kind, namespace, name)
	}
	return found
}

// List returns the objects of a kind with these labels.
func (b *Bed) List(kind kube.Kind, labels string) []objects.Object {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	list, err := b.on(kind, "").List(ctx, metav1.ListOptions{LabelSelector: labels})
	b.check(err, "list "+kind.Resource)
	return list.Items
}

// Edit changes an object by hand, with a JSON merge patch.
func (b *Bed) Edit(kind kube.Kind, namespace, name, patch string) {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	_, err := b.on(kind, namespace).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: Editor})
	b.check(err, "edit "+kind.Kind+" "+name)
}

// Make makes an object from YAML.
func (b *Bed) Make(kind kube.Kind, namespace, text string) *objects.Object {
	b.t.Helper()
	object := &objects.Object{}
	b.check(yaml.Unmarshal([]byte(text), &object.Object), "read YAML")
	object.SetGroupVersionKind(kind.GroupVersionKind)
	ctx, cancel := b.context()
	defer cancel()
	made, err := b.on(kind, namespace).Create(ctx, object, metav1.CreateOptions{FieldManager: Editor})
	b.check(err, "make "+kind.Kind+" "+object.GetName())
	return made
}

// Delete deletes an object and waits until it is gone; none there is fine.
func (b *Bed) Delete(kind kube.Kind, namespace, name string) {
	b.t.Helper()
	b.Begin(kind, namespace, name)
	b.Await(kind.Kind+" "+name+" to be gone", func() bool { return b.Find(kind, namespace, name) == nil })
}

// Begin deletes an object without waiting.
func (b *Bed) Begin(kind kube.Kind, namespace, name string) {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	err := b.on(kind, namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		b.check(err, "delete "+kind.Kind+" "+name)
	}
}

// Await waits until look is true.
func (b *Bed) Await(what string, look func() bool) {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	err := retry.Do(ctx, "wait for "+what, func(error) retry.Verdict { return retry.Verdict{Again: true} }, func(context.Context) error {
		if look() {
			return nil
		}
		return errors.New("not yet")
	})
	b.check(err, "wait")
}

// Clean deletes an object when the test ends.
func (b *Bed) Clean(kind kube.Kind, namespace, name string) {
	b.t.Helper()
	b.t.Cleanup(func() { b.Begin(kind, namespace, name) })
}

// Sweep deletes, when the test ends, whatever still carries an owner's label.
func (b *Bed) Sweep(owner string) {
	b.t.Helper()
	b.t.Cleanup(func() {
		for _, kind := range []kube.Kind{kube.Namespace, kube.Queue, kube.PriorityClass} {
			for _, object := range b.List(kind, objects.LabelOwner+"="+owner) {
				b.Begin(kind, "", object.GetName())
			}
		}
	})
}

func (b *Bed) check(err error, what string) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// ForcePodAway ends a pod at once: no kubelet answers for the nodes of a testbed.
func (b *Bed) ForcePodAway(namespace, name string) {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	now := int64(0)
	b.check(b.on(kube.Pod, namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now}), "delete the pod")
	b.Await("the pod to be gone", func() bool { return b.Find(kube.Pod, namespace, name) == nil })
}
