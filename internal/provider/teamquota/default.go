// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// withDefault gives an object that is left out the defaults of its attributes.
func withDefault(ctx context.Context, object schema.SingleNestedAttribute) schema.SingleNestedAttribute {
	attributeTypes := make(map[string]attr.Type, len(object.Attributes))
	values := make(map[string]attr.Value, len(object.Attributes))
	for name, attribute := range object.Attributes {
		attributeTypes[name] = attribute.GetType()
		values[name] = defaultOf(ctx, attribute)
	}
	object.Default = objectdefault.StaticValue(types.ObjectValueMust(attributeTypes, values))
	return object
}

// defaultOf is an attribute's static default, or null.
func defaultOf(ctx context.Context, attribute schema.Attribute) attr.Value {
	switch a := attribute.(type) {
	case schema.BoolAttribute:
		var resp defaults.BoolResponse
		a.Default.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
		return resp.PlanValue
	case schema.StringAttribute:
		var resp defaults.StringResponse
		a.Default.DefaultString(ctx, defaults.StringRequest{}, &resp)
		return resp.PlanValue
	}
	kind := attribute.GetType()
	null, err := kind.ValueFromTerraform(ctx, tftypes.NewValue(kind.TerraformType(ctx), nil))
	if err != nil {
		panic(fmt.Sprintf("teamquota: %s has no null: %v", kind, err)) // every type has
	}
	return null
}

// sameQuantity keeps the prior text of a quantity where it means the same.
type sameQuantity struct{}

const sameText = "Compared by meaning: 1Ti is 1024Gi."

// Description implements planmodifier.Describer.
func (sameQuantity) Description(context.Context) string { return sameText }

// MarkdownDescription implements planmodifier.Describer.
func (sameQuantity) MarkdownDescription(context.Context) string { return sameText }

// PlanModifyString implements planmodifier.String.
func (sameQuantity) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.StateValue.IsNull() || req.PlanValue.IsNull() || req.PlanValue.IsUnknown() {
		return
	}
	if spec.EqualQuantities(req.StateValue.ValueString(), req.PlanValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}
