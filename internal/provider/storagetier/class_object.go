// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Kinds that only storage tiers read and write.
var (
	classKind  = kube.Kind{GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("StorageClass"), Resource: "storageclasses", Untyped: true}
	volumeKind = kube.Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("PersistentVolume"), Resource: "persistentvolumes"}
)

// defaultClass marks the class of claims that name none.
const defaultClass = "storageclass.kubernetes.io/is-default-class"

// classObject is a class as an object: the fields that are ours.
func classObject(class spec.StorageClass, owner objects.Owner) *objects.Object {
	object := &objects.Object{Object: map[string]any{
		"provisioner": class.Provisioner, "reclaimPolicy": class.Reclaim, "volumeBindingMode": class.Binding,
		"allowVolumeExpansion": class.Expand,
	}}
	object.SetGroupVersionKind(classKind.GroupVersionKind)
	object.SetName(class.Name)
	object.SetLabels(owner.Labels())
	isDefault := "false"
	if class.Default {
		isDefault = "true"
	}
	object.SetAnnotations(map[string]string{defaultClass: isDefault})
	if len(class.Parameters) > 0 {
		parameters := map[string]any{}
		for key, value := range class.Parameters {
			parameters[key] = value
		}
		object.Object["parameters"] = parameters
	}
	if len(class.MountOptions) > 0 {
		options := []any{}
		for _, option := range class.MountOptions {
			options = append(options, option)
		}
		object.Object["mountOptions"] = options
	}
	return object
}

// fixed is what cannot change of a class as it stands, as its print shows it.
func fixed(live *objects.Object) spec.StorageClass {
	class := spec.StorageClass{Name: live.GetName()}
	class.Provisioner, _ = live.Object["provisioner"].(string)
	class.Reclaim, _ = live.Object["reclaimPolicy"].(string)
	class.Binding, _ = live.Object["volumeBindingMode"].(string)
	parameters, _ := live.Object["parameters"].(map[string]any)
	for key, value := range parameters {
		if class.Parameters == nil {
			class.Parameters = map[string]string{}
		}
		class.Parameters[key], _ = value.(string)
	}
	return class
}

// sameOwner says whether an object carries the labels of its owner.
func sameOwner(live *objects.Object, owner objects.Owner) bool {
	have, ours := objects.OwnerOf(live.GetLabels())
	return ours && have == owner
}

// byPurpose are the names of classes.
func byPurpose(classes map[string]spec.StorageClass) map[string]string {
	names := map[string]string{}
	for purpose, class := range maps.All(classes) {
		names[purpose] = class.Name
	}
	return names
}
