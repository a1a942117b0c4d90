// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// fresh holds the fields that templates make anew each time they run (passwords, certificates,
// dates), by object.
type fresh map[string][]string

// anew runs the templates once more and compares.
func anew(made rendered) (fresh, error) {
	again, err := made.again()
	if err != nil {
		return nil, err
	}
	second := map[string]*objects.Object{}
	for _, object := range again.Objects {
		second[objects.Ref(object)] = object
	}
	found := fresh{}
	for _, object := range made.Objects {
		other := second[objects.Ref(object)]
		if other == nil {
			continue
		}
		for _, change := range plan.Between(object, other) {
			found[objects.Ref(object)] = append(found[objects.Ref(object)], change.Path.String())
		}
	}
	return found, nil
}

// has says whether a field is made anew, or holds or lies in what is.
func (f fresh) has(ref string, path plan.Path) bool {
	text := path.String()
	for _, other := range f[ref] {
		if strings.HasPrefix(text, other) || strings.HasPrefix(other, text) {
			return true
		}
	}
	return false
}
