// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Kind is a kind of object that Trainyard reads or writes. Kinds are compiled in, so that
// no discovery and no OpenAPI is ever asked for.
type Kind struct {
	schema.GroupVersionKind
	// Resource is the plural in the URL, Namespaced says whether a namespace goes before it.
	Resource   string
	Namespaced bool
	// Whole: every object of the kind is listed, not only those with our labels. Such kinds
	// are few in a cluster, and that a foreign object has a name must be known before
	// it is taken.
	Whole bool
	// Named: only objects of this name are listed, so that a role with resourceNames suffices.
	Named string
	// Selector: the labels of the objects that are listed; "" stands for those that Trainyard
	// puts on what it makes itself.
	Selector string
	// MetadataOnly: the contents never leave the API server.
	MetadataOnly bool
	// JSON: the API server has no protobuf form of it (custom resources).
	JSON bool
	// Untyped: objects are read whole and without a type compiled in.
	Untyped bool
}

func (k Kind) String() string { return k.Kind }

func core(kind, resource string, namespaced bool) Kind {
	return Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind(kind), Resource: resource, Namespaced: namespaced}
}

// The kinds.
var (
	Namespace             = whole(core("Namespace", "namespaces", false))
	ResourceQuota         = core("ResourceQuota", "resourcequotas", true)
	LimitRange            = core("LimitRange", "limitranges", true)
	Secret                = Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret"), Resource: "secrets", Namespaced: true, MetadataOnly: true, Named: objects.RegistryName}
	ServiceAccount        = Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ServiceAccount"), Resource: "serviceaccounts", Namespaced: true, Named: "default"}
	Node                  = core("Node", "nodes", false)
	Pod                   = core("Pod", "pods", true)
	PersistentVolumeClaim = core("PersistentVolumeClaim", "persistentvolumeclaims", true)
	Role                  = Kind{GroupVersionKind: rbacv1.SchemeGroupVersion.WithKind("Role"), Resource: "roles", Namespaced: true}
	RoleBinding           = Kind{GroupVersionKind: rbacv1.SchemeGroupVersion.WithKind("RoleBinding"), Resource: "rolebindings", Namespaced: true}
	NetworkPolicy         = Kind{GroupVersionKind: networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), Resource: "networkpolicies", Namespaced: true}
	PriorityClass         = Kind{GroupVersionKind: schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"), Resource: "priorityclasses", Whole: true}
	Queue                 = Kind{GroupVersionKind: volcanov1beta1.SchemeGroupVersion.WithKind("Queue"), Resource: "queues", Whole: true, JSON: true}
	PodGroup              = Kind{GroupVersionKind: volcanov1beta1.SchemeGroupVersion.WithKind("PodGroup"), Resource: "podgroups", Namespaced: true, JSON: true}
	Command               = Kind{GroupVersionKind: busv1alpha1.SchemeGroupVersion.WithKind("Command"), Resource: "commands", Namespaced: true, JSON: true}
)

func whole(k Kind) Kind {
	k.Whole = true
	return k
}

// Charted is the form of a kind in which the objects of charts are read: their metadata alone,
// which tells who wrote what, and of them those that Trainyard installed.
func (k Kind) Charted() Kind {
	return Kind{
		GroupVersionKind: k.GroupVersionKind, Resource: k.Resource, Namespaced: k.Namespaced,
		MetadataOnly: true, Selector: objects.LabelManagedBy + "=" + objects.ManagedByHelm + "," + objects.LabelOwner,
	}
}

// Untypedly is the form of a kind in which one object is read with all its contents, whatever it is.
func (k Kind) Untypedly() Kind {
	return Kind{GroupVersionKind: k.GroupVersionKind, Resource: k.Resource, Namespaced: k.Namespaced, Untyped: true}
}

var kinds = byGVK(Namespace, ResourceQuota, LimitRange, Secret, ServiceAccount, Node, Pod, PersistentVolumeClaim,
	Role, RoleBinding, NetworkPolicy, PriorityClass, Queue, PodGroup, Command)

func byGVK(list ...Kind) map[schema.GroupVersionKind]Kind {
	table := make(map[schema.GroupVersionKind]Kind, len(list))
	for _, kind := range list {
		table[kind.GroupVersionKind] = kind
	}
	return table
}

// codecs decode what the API server answers, protobuf and JSON alike.
var codecs = serializer.NewCodecFactory(newScheme())

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, rbacv1.AddToScheme, networkingv1.AddToScheme, schedulingv1.AddToScheme,
		volcanov1beta1.AddToScheme, busv1alpha1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err) // types compiled in that cannot be registered
		}
	}
	return scheme
}
