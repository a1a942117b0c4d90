// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func fullSchema(tb testing.TB) schema.Schema {
	tb.Helper()
	var resp resource.SchemaResponse
	New().Schema(tb.Context(), resource.SchemaRequest{}, &resp)
	if diags := resp.Schema.ValidateImplementation(tb.Context()); diags.HasError() {
		tb.Fatal(diags)
	}
	return resp.Schema
}

func emptyState(tb testing.TB) tfsdk.State {
	tb.Helper()
	s := fullSchema(tb)
	return tfsdk.State{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(tb.Context()), nil)}
}

// TestModelFitsTheSchema fails where an attribute has no field or a field no attribute.
func TestModelFitsTheSchema(t *testing.T) {
	state := emptyState(t)
	want := everyPart(t)
	if diags := state.Set(t.Context(), &want); diags.HasError() {
		t.Fatal(diags)
	}
	var got Model
	if diags := state.Get(t.Context(), &got); diags.HasError() {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(specOf(&want), specOf(&got)); diff != "" {
		t.Errorf("team read from state (-want +got):\n%s", diff)
	}
}

func TestEveryAttributeIsDescribed(t *testing.T) {
	var walk func(name string, attributes map[string]schema.Attribute)
	walk = func(name string, attributes map[string]schema.Attribute) {
		for key, attribute := range attributes {
			if key == "timeouts" { // described by its own package
				continue
			}
			at := name + "." + key
			if attribute.GetMarkdownDescription() == "" {
				t.Errorf("%s has no description", at)
			}
			switch a := attribute.(type) {
			case schema.SingleNestedAttribute:
				walk(at, a.Attributes)
			case schema.MapNestedAttribute:
				walk(at, a.NestedObject.Attributes)
			}
		}
	}
	walk("trainyard_team_quota", fullSchema(t).Attributes)
}

func TestDefaultsOfTheSchemaAreThoseOfACheck(t *testing.T) {
	var planned Model
	state := emptyState(t)
	bare := Model{PodSecurity: &podSecurityModel{}, Network: &networkModel{}}
	bare.Name = types.StringValue("team-vision")
	bare.Cluster, bare.Timeouts, bare.Drift = everyPart(t).Cluster, everyPart(t).Timeouts, everyPart(t).Drift
	if diags := state.Set(t.Context(), &bare); diags.HasError() {
		t.Fatal(diags)
	}
	for _, name := range []string{"pod_security", "network"} {
		if diags := state.SetAttribute(t.Context(), path.Root(name), objectDefault(t, name)); diags.HasError() {
			t.Fatal(diags)
		}
	}
	if diags := state.Get(t.Context(), &planned); diags.HasError() {
		t.Fatal(diags)
	}
	configured := Model{}
	configured.Name = types.StringValue("team-vision")
	if diff := cmp.Diff(specOf(&configured), specOf(&planned)); diff != "" {
		t.Errorf("planned team (-configured +planned):\n%s", diff)
	}
	if v := specOf(&planned).Validate(); len(v) > 0 {
		t.Errorf("the defaults are refused: %v", v)
	}
}

func TestAQuantityThatMeansTheSameIsNoChange(t *testing.T) {
	for _, c := range []struct{ state, plan, want types.String }{
		{types.StringValue("1024Gi"), types.StringValue("1Ti"), types.StringValue("1024Gi")},
		{types.StringValue("1024Gi"), types.StringValue("2Ti"), types.StringValue("2Ti")},
		{types.StringNull(), types.StringValue("1Ti"), types.StringValue("1Ti")},
		{types.StringValue("1Ti"), types.StringNull(), types.StringNull()},
		{types.StringValue("1Ti"), types.StringUnknown(), types.StringUnknown()},
	} {
		resp := planmodifier.StringResponse{PlanValue: c.plan}
		sameQuantity{}.PlanModifyString(context.Background(),
			planmodifier.StringRequest{StateValue: c.state, PlanValue: c.plan}, &resp)
		if !resp.PlanValue.Equal(c.want) {
			t.Errorf("state %s, plan %s: planned %s, want %s", c.state, c.plan, resp.PlanValue, c.want)
		}
	}
}
