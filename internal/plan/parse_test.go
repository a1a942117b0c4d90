// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// parse reads an object as the API writes it, whole numbers as int64.
func parse(t *testing.T, text string) *objects.Object {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	object := &objects.Object{}
	if err := object.UnmarshalJSON(raw); err != nil {
		t.Fatal(err)
	}
	return object
}
