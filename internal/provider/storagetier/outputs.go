// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
)

// open marks the outputs as only known after the apply.
func open(m *Model) {
	m.StorageClasses, m.Buckets = types.MapUnknown(types.StringType), types.MapUnknown(types.StringType)
	m.Endpoint = types.StringUnknown()
}

// fill sets the outputs, which the configuration and the record tell alone.
func (w *whole) fill(m *Model) {
	m.StorageClasses = texts(byPurpose(w.classes))
	names := map[string]string{}
	for key, bucket := range w.given.buckets() {
		names[key] = bucket.Name
	}
	m.Buckets, m.Endpoint = texts(names), types.StringValue(w.given.endpoint())
}

func texts(all map[string]string) types.Map {
	values := map[string]attr.Value{}
	for key, text := range all {
		values[key] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, values)
}

// known says whether all that a plan is made from is known.
func known(m *Model) bool {
	for _, value := range []attr.Value{m.Name, m.Cache, m.SharedTier, m.Object, m.Delete} {
		if !release.Wholly(value) {
			return false
		}
	}
	return true
}
