// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package objects turns a specification into the Kubernetes objects that stand for it,
// and reads them back. Everything here is a pure function.
//
// A rendered object holds only the fields that Trainyard owns. Within a list it holds
// every field, defaults included, because a list is owned and compared as a whole.
package objects

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object is a Kubernetes object as the API writes it.
type Object = unstructured.Unstructured

// Labels that mark an object as ours. Together the last three name the one Terraform
// resource that owns it.
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	LabelOwner     = "trainyard.io/owner"
	LabelResource  = "trainyard.io/resource"
	LabelName      = "trainyard.io/name"
	ManagedBy      = "trainyard"
	// ManagedByHelm stands on the objects of charts, where Helm itself wants to read its name.
	ManagedByHelm = "Helm"
)

// Owner names the Terraform resource that an object belongs to.
type Owner struct {
	// Owner tells installations that share a cluster apart (provider argument "owner").
	Owner string
	// Resource is the kind of resource, such as training-queue.
	Resource string
	// Name is the resource's own name, such as research.
	Name string
}

// Labels returns the owner's four labels.
func (o Owner) Labels() map[string]string {
	return map[string]string{
		LabelManagedBy: ManagedBy, LabelOwner: o.Owner, LabelResource: o.Resource, LabelName: o.Name,
	}
}

// OwnerOf reads the owner from an object's labels; ok is false where the object is not ours.
func OwnerOf(labels map[string]string) (owner Owner, ok bool) {
	owner = Owner{Owner: labels[LabelOwner], Resource: labels[LabelResource], Name: labels[LabelName]}
	by := labels[LabelManagedBy]
	return owner, (by == ManagedBy || by == ManagedByHelm) && owner.Resource != ""
}

// From converts an apply configuration or a typed object into an Object.
func From(typed any) *Object {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		panic(fmt.Sprintf("objects: %T cannot be converted: %v", typed, err)) // a type of ours that has no JSON form
	}
	return &Object{Object: content}
}

// Ref names one object for people: NetworkPolicy vision/trainyard-default-deny.
func Ref(o *Object) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}

// Fresh returns a copy without what only a stored object has, fit to be made again.
func Fresh(live *Object) *Object {
	copied := live.DeepCopy()
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "generation", "managedFields", "selfLink"} {
		unstructured.RemoveNestedField(copied.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(copied.Object, "status")
	return copied
}
