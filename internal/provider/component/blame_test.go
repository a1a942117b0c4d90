// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func TestErrorsStandAtTheArgumentThatIsSet(t *testing.T) {
	chart := map[string]attr.Value{
		"repository": types.StringValue("https://charts.example"), "registry": types.StringNull(), "path": types.StringNull(),
		"name": types.StringValue("basic"), "version": types.StringValue("1.0.0"), "digest": types.StringNull(),
	}
	given := Model{
		Chart: types.ObjectValueMust(release.ChartTypes, chart), Values: types.DynamicValue(types.StringValue("x")), ValuesYAML: types.ListNull(types.StringType),
	}
	listed := given
	listed.Chart = types.ObjectNull(release.ChartTypes)
	inYAML := given
	inYAML.Values, inYAML.ValuesYAML = types.DynamicNull(), types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a: b")})
	bare := given
	bare.Values = types.DynamicNull()
	for _, test := range []struct {
		name  string
		model Model
		place spec.Path
		want  string
	}{
		{"a chart that cannot be had", given, spec.Path{"chart"}, "chart"},
		{"a version that is given", given, spec.Path{"chart", "version"}, "chart.version"},
		{"a digest that was recorded, not given", given, spec.Path{"chart", "digest"}, "chart"},
		{"a chart of the catalogue", listed, spec.Path{"chart", "version"}, "catalog"},
		{"values in HCL", given, spec.Path{"values"}, "values"},
		{"values in YAML", inYAML, spec.Path{"values"}, "values_yaml"},
		{"a value that is missing", bare, spec.Path{"values"}, "values"},
		{"a cause that nobody knows", given, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cause := errors.New("cause")
			err := cause
			if test.place != nil {
				err = spec.At(test.place, cause)
			}
			got := blame(&test.model, err)
			if place := spec.PlaceOf(got).String(); place != test.want || !errors.Is(got, cause) || got.Error() != "cause" {
				t.Errorf("%v at %q, want it at %q", got, place, test.want)
			}
		})
	}
	if blame(&given, nil) != nil {
		t.Error("no error became one")
	}
}
