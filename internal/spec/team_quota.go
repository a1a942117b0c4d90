// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Quota is the most that a namespace may hold. The zero value sets no bound.
type Quota struct {
	// Requests bounds the sum of what pods request: cpu, memory, ephemeral-storage,
	// huge pages, and any device, MIG slices included.
	Requests Resources
	// Limits bounds the sum of the limits of pods: cpu, memory and ephemeral-storage.
	Limits Resources
	// Objects bounds the number of objects: pods, services, count/jobs.batch.
	Objects map[string]int64
	Storage StorageQuota
}

// StorageQuota bounds the claims for volumes, all together and by storage class.
type StorageQuota struct {
	StorageAmount
	Classes map[string]StorageAmount
}

// StorageAmount is a number of bytes (a quantity, "" for no bound) and a number of
// claims (nil for no bound).
type StorageAmount struct {
	Total  string
	Claims *int64
}

// Empty says whether the quota sets no bound at all.
func (q Quota) Empty() bool {
	return len(q.Requests) == 0 && len(q.Limits) == 0 && len(q.Objects) == 0 &&
		q.Storage.empty() && len(q.Storage.Classes) == 0
}

func (a StorageAmount) empty() bool {
	return a.Total == "" && a.Claims == nil
}

// countedObjects are the kinds that a ResourceQuota counts under a name of their own;
// others are written count/<resource>.<group>.
var countedObjects = []string{
	"configmaps", "pods", "replicationcontrollers", "resourcequotas", "secrets",
	"services", "services.loadbalancers", "services.nodeports",
}

// IsCountedObject says whether a ResourceQuota takes name as a number of objects.
func IsCountedObject(name string) bool {
	return slices.Contains(countedObjects, name) || strings.HasPrefix(name, "count/")
}

// IsLimited says whether a ResourceQuota takes limits.<name>.
func IsLimited(name string) bool {
	return name == "cpu" || name == "memory" || name == "ephemeral-storage"
}

// IsRequested says whether a ResourceQuota takes requests.<name>.
func IsRequested(name string) bool {
	device := isExtended(name) && !strings.Contains(name, storageClassInfix)
	return IsLimited(name) || strings.HasPrefix(name, "hugepages-") || device
}

func (q Quota) check(v *Violations, path Path) {
	checkBounds(v, path, "requests", q.Requests, IsRequested)
	bounded := checkBounds(v, path, "limits", q.Limits, IsLimited)
	checkAtMost(v, path.At("requests"), q.Requests, bounded, path.At("limits").String())

	for _, name := range slices.Sorted(maps.Keys(q.Objects)) {
		at := path.At("objects", Key(name))
		if !IsCountedObject(name) || len(validation.IsQualifiedName(name)) > 0 {
			v.Add(at, rightPlace(path, name), "%q is not a kind of object that a quota counts", name)
		}
		checkCount(v, at, q.Objects[name])
	}
	q.Storage.check(v, path.At("storage"))
}

// checkBounds validates one map of resources, sending names that belong to another
// part of the quota there. It returns those that stand where they belong.
func checkBounds(v *Violations, quota Path, attribute string, bounds Resources, accepted func(string) bool) Resources {
	good := make(Resources, len(bounds))
	for _, name := range bounds.Names() {
		prefixed := strings.HasPrefix(name, "requests.") || strings.HasPrefix(name, "limits.")
		if accepted(name) && !prefixed && len(validation.IsQualifiedName("requests."+name)) == 0 {
			good[name] = bounds[name]
			continue
		}
		problem := fmt.Sprintf("%s.%s is not a resource that a ResourceQuota knows", attribute, name)
		switch {
		case prefixed:
			problem = fmt.Sprintf("%q carries a prefix that %s and %s stand for", name, quota.At("requests"), quota.At("limits"))
		case attribute == "limits" && isExtended(name):
			problem = fmt.Sprintf("a device is bounded by its requests only: Kubernetes has no limits.%s", name)
		}
		v.Add(quota.At(attribute, Key(name)), rightPlace(quota, name), "%s", problem)
	}
	checkResources(v, quota.At(attribute), good)
	return good
}

const storageClassInfix = ".storageclass.storage.k8s.io/"

// rightPlace is the advice for a name of a ResourceQuota that stands in the wrong
// attribute: the path where it belongs.
func rightPlace(quota Path, name string) string {
	use := func(steps ...any) string { return "Use " + quota.At(steps...).String() }
	bare, limits := strings.CutPrefix(name, "limits.")
	bare = strings.TrimPrefix(bare, "requests.")
	class, kind, ofClass := strings.Cut(name, storageClassInfix)
	switch {
	case ofClass && kind == "persistentvolumeclaims":
		return use("storage", "classes", Key(class), "claims")
	case ofClass:
		return use("storage", "classes", Key(class), "total")
	case bare == "storage":
		return use("storage", "total")
	case bare == "persistentvolumeclaims":
		return use("storage", "claims")
	case limits && IsLimited(bare):
		return use("limits", Key(bare))
	case IsRequested(bare):
		return use("requests", Key(bare))
	case IsCountedObject(bare):
		return use("objects", Key(bare))
	}
	return fmt.Sprintf("Use cpu, memory, ephemeral-storage, hugepages-<size> or a device such as nvidia.com/gpu in %s; %s or count/<resource>.<group> in %s",
		quota.At("requests"), strings.Join(countedObjects, ", "), quota.At("objects"))
}

func (s StorageQuota) check(v *Violations, path Path) {
	s.StorageAmount.check(v, path)
	for _, class := range slices.Sorted(maps.Keys(s.Classes)) {
		at, amount := path.At("classes", Key(class)), s.Classes[class]
		if len(validation.IsDNS1123Subdomain(class+strings.TrimSuffix(storageClassInfix, "/"))) > 0 {
			v.Add(at, `Give the name of a StorageClass, such as "fast-nvme"`, "%q cannot be the name of a storage class", class)
		}
		if amount.empty() {
			v.Add(at, "Give total, claims or both, or remove the class", "the storage class %q has no bound", class)
		}
		amount.check(v, at)
	}
}

func (a StorageAmount) check(v *Violations, path Path) {
	if a.Total != "" {
		checkQuantity(v, path.At("total"), a.Total)
	}
	if a.Claims != nil {
		checkCount(v, path.At("claims"), *a.Claims)
	}
}

func checkQuantity(v *Violations, path Path, text string) {
	if _, err := ParseQuantity(text); err != nil {
		v.Add(path, quantityRemedy, "%s", err)
	}
}

func checkCount(v *Violations, path Path, count int64) {
	if count < 0 {
		v.Add(path, "Give 0 or more", "%d is negative", count)
	}
}
