// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// LabelName refuses a name that is no DNS label.
func LabelName() validator.String { return nameValidator{} }

func labelName() []validator.String { return []validator.String{LabelName()} }

// OwnerName validates the provider's argument "owner", which becomes the value of a label.
func OwnerName() []validator.String { return labelName() }

type nameValidator struct{}

func (nameValidator) Description(context.Context) string         { return spec.LabelNameRemedy }
func (nameValidator) MarkdownDescription(context.Context) string { return spec.LabelNameRemedy }

func (nameValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := spec.CheckLabelName(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid name", fmt.Sprintf("%s.\n\n%s.", err, spec.LabelNameRemedy))
	}
}

// SameQuantities keeps the prior map where every quantity still means the same: to write
// 1Ti instead of 1024Gi changes nothing.
func SameQuantities() planmodifier.Map { return sameQuantities{} }

type sameQuantities struct{}

const sameText = "Quantities are compared by meaning: 1000m is 1, 1Ti is 1024Gi."

func (sameQuantities) Description(context.Context) string         { return sameText }
func (sameQuantities) MarkdownDescription(context.Context) string { return sameText }

func (sameQuantities) PlanModifyMap(_ context.Context, req planmodifier.MapRequest, resp *planmodifier.MapResponse) {
	if EqualQuantities(req.StateValue, req.PlanValue) {
		resp.PlanValue = req.StateValue
	}
}

// EqualQuantities says whether two maps of quantities mean the same.
func EqualQuantities(a, b types.Map) bool {
	if a.IsNull() || b.IsNull() || a.IsUnknown() || b.IsUnknown() || len(a.Elements()) != len(b.Elements()) {
		return false
	}
	other := b.Elements()
	for name, value := range a.Elements() {
		if !equalQuantity(value, other[name]) {
			return false
		}
	}
	return true
}

func equalQuantity(a, b attr.Value) bool {
	sa, okA := a.(types.String)
	sb, okB := b.(types.String)
	return okA && okB && !sa.IsUnknown() && !sb.IsUnknown() && spec.EqualQuantities(sa.ValueString(), sb.ValueString())
}

// KeepQuantities returns prior where it means the same as fresh, else fresh.
func KeepQuantities(prior types.Map, fresh map[string]string) types.Map {
	values := make(map[string]attr.Value, len(fresh))
	for name, quantity := range fresh {
		value := types.StringValue(quantity)
		if before, ok := prior.Elements()[name].(types.String); ok && equalQuantity(before, value) {
			value = before
		}
		values[name] = value
	}
	if len(values) == 0 && (prior.IsNull() || len(prior.Elements()) > 0) {
		return types.MapNull(types.StringType)
	}
	return types.MapValueMust(types.StringType, values)
}

// KeepKeys narrows labels or annotations to the keys that the model has, because others may
// set more of them. When a resource is imported, every key counts.
func KeepKeys(prior types.Map, fresh map[string]string, all bool) types.Map {
	values := map[string]attr.Value{}
	for key, value := range fresh {
		if _, ours := prior.Elements()[key]; ours || all {
			values[key] = types.StringValue(value)
		}
	}
	if len(values) == 0 && prior.IsNull() {
		return types.MapNull(types.StringType)
	}
	return types.MapValueMust(types.StringType, values)
}
