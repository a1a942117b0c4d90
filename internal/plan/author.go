// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// FieldManager is the name under which Trainyard owns fields.
const FieldManager = "trainyard"

// author is who wrote a field. sure is false where the field is gone, so that nobody
// owns it and the last other writer of the object is the best that the API server knows.
type author struct {
	manager string
	at      time.Time
	sure    bool
}

func (a author) text() string {
	switch {
	case a.manager == "":
		return ""
	case a.sure:
		return ", by " + a.manager + " at " + a.at.UTC().Format(time.RFC3339)
	}
	return ", last written by " + a.manager + " at " + a.at.UTC().Format(time.RFC3339)
}

// Author says who changed a field of a live object, in the form in which a line of drift ends
// with it; "" where the API server does not know for sure, as of a field that is gone.
func Author(live *objects.Object, path Path) string {
	if by := authorOf(live, Change{Path: path}); by.sure {
		return by.text()
	}
	return ""
}

// authorOf names who changed a field, from the managedFields of the live object: the
// latest foreign owner of the field, of something below it, or of the list it lies in.
func authorOf(live *objects.Object, change Change) author {
	var owner, last author
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == FieldManager || entry.Time == nil || entry.Subresource != "" {
			continue
		}
		if entry.Time.After(last.at) {
			last = author{manager: entry.Manager, at: entry.Time.Time}
		}
		if entry.Time.After(owner.at) && owns(entry, change.Path) {
			owner = author{manager: entry.Manager, at: entry.Time.Time, sure: true}
		}
	}
	if owner.manager != "" {
		return owner
	}
	return last
}

// secretData is where the API server notes who wrote a Secret's contents.
var secretData = Path{"data"}

// Lost finds what cannot be compared because its contents never leave the API server: the
// data of a Secret. They are as we wrote them while nobody else is noted as their owner.
func Lost(want, have *objects.Object) []Change {
	if want.GetKind() != "Secret" {
		return nil
	}
	if !Owns(have, FieldManager, secretData) {
		return []Change{{Path: secretData, Want: "as applied", Have: "rewritten"}}
	}
	if by := authorOf(have, Change{Path: secretData}); by.sure {
		return []Change{{Path: secretData, Want: "as applied", Have: "also written by " + by.manager}}
	}
	return nil
}

// Authored returns a copy without the labels and annotations that others wrote.
func Authored(live *objects.Object) *objects.Object {
	ours := live.DeepCopy()
	for _, part := range []string{"labels", "annotations"} {
		kept, _, _ := unstructured.NestedStringMap(live.Object, "metadata", part)
		for key := range kept {
			if !Owns(live, FieldManager, Path{"metadata", part, key}) {
				unstructured.RemoveNestedField(ours.Object, "metadata", part, key)
			}
		}
	}
	return ours
}

// Owns says whether the manager applied the field at path and nobody has written it since.
// The API server moves a field to whoever changes its value.
func Owns(live *objects.Object, manager string, path Path) bool {
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == manager && owns(entry, path) {
			return true
		}
	}
	return false
}

// BornOurs says whether the object was made by an apply of ours: we hold fields in it since
// the second of its creation.
func BornOurs(live *objects.Object) bool {
	created := live.GetCreationTimestamp()
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Time != nil {
			return !entry.Time.After(created.Time)
		}
	}
	return false
}

func owns(entry metav1.ManagedFieldsEntry, path Path) bool {
	if entry.FieldsV1 == nil {
		return false
	}
	set := &fieldpath.Set{}
	if err := set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
		return false
	}
	for _, step := range path {
		name, isField := step.(string)
		if !isField {
			break // a list is owned as a whole
		}
		element := fieldpath.PathElement{FieldName: &name}
		if set.Members.Has(element) {
			if next, below := set.Children.Get(element); below {
				set = next
				continue
			}
			return true
		}
		next, below := set.Children.Get(element)
		if !below {
			return false
		}
		set = next
	}
	return !set.Empty()
}
