// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// controllers is how the names begin under which the controllers of Kubernetes itself write; the
// rest is the name of their program. Distributions that link them into a program of their own
// are known by what they write (see ofControllers).
const controllers = "kube-controller-manager"

// ofControllers says whether a manager is one of Kubernetes' own controllers: by its name, or
// because it writes the object's status, which nobody else does.
func ofControllers(live *objects.Object, manager string) bool {
	return strings.HasPrefix(manager, controllers) || slices.ContainsFunc(live.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == manager && e.Subresource == "status"
	})
}

// Print identifies who owns which fields of an object, without the fields' values. The API
// server moves a field from its owner to whoever changes its value, so that an object whose
// print is that of our last write still holds what we wrote: nothing has to be read or
// remembered of its contents.
//
// An object that we have never applied (a release made by the helm command) is known by all
// its writers and the times at which they wrote, Kubernetes' own controllers aside.
//
// scaled says whether we own spec.replicas. It is no part of the print, because an autoscaler
// may take it (see Autoscaled).
func Print(live *objects.Object) (text string, scaled bool) {
	sum := sha256.New()
	if ours, found := applied(live); found {
		return record(sum, ours), ours.Has(replicas)
	}
	for _, entry := range live.GetManagedFields() {
		set, err := fieldsSet(entry)
		if entry.Subresource != "" || ofControllers(live, entry.Manager) || err != nil {
			continue
		}
		scaled = scaled || set.Has(replicas)
		stamp := entry.Manager + "\x00" + string(entry.Operation)
		if entry.Time != nil {
			stamp += "\x00" + entry.Time.UTC().Format("2006-01-02T15:04:05Z")
		}
		_, _ = io.WriteString(sum, stamp) // a hash never fails
		record(sum, set)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), scaled
}

var replicas = fieldpath.MakePathOrDie("spec", "replicas")

func record(sum hash.Hash, set *fieldpath.Set) string {
	bare := set.Difference(fieldpath.NewSet(replicas))
	if raw, err := bare.ToJSON(); err == nil {
		_, _ = sum.Write(raw)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// applied is the set of the fields that we applied and still own.
func applied(live *objects.Object) (*fieldpath.Set, bool) {
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" {
			set, err := fieldsSet(entry)
			return set, err == nil
		}
	}
	return nil, false
}

func fieldsSet(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if entry.FieldsV1 == nil {
		return set, nil
	}
	return set, set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes()))
}

// madeBy is the annotation that Helm puts on what it makes.
var madeBy = fieldpath.MakePathOrDie("metadata", "annotations", "meta.helm.sh/release-name")

// HelmManagers are the managers under which a Helm, of whatever program, has written an object
// by updates. What it wrote so stays when we stop applying it, unless it is made ours.
func HelmManagers(live *objects.Object) []string {
	var found []string
	for _, entry := range live.GetManagedFields() {
		if entry.Operation != metav1.ManagedFieldsOperationUpdate || entry.Subresource != "" {
			continue
		}
		set, err := fieldsSet(entry)
		if entry.Manager == "helm" || (err == nil && set.Has(madeBy)) {
			found = append(found, entry.Manager)
		}
	}
	return found
}

// Autoscaled says whether an autoscaler holds spec.replicas: it was last written through the
// scale subresource by Kubernetes' own controllers. A person's kubectl scale is not that.
func Autoscaled(live *objects.Object) bool {
	for _, entry := range live.GetManagedFields() {
		if entry.Subresource != "scale" || !ofControllers(live, entry.Manager) {
			continue
		}
		if set, err := fieldsSet(entry); err == nil && set.Has(replicas) {
			return true
		}
	}
	return false
}
