// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Plain turns an HCL value into the plain value that templates see: objects and maps become
// maps, lists, sets and tuples become slices, whole numbers become int64. Unknown values do not
// come here.
func Plain(value attr.Value) any {
	switch v := value.(type) {
	case types.Dynamic:
		return Plain(v.UnderlyingValue())
	case types.Object:
		return plainMap(v.Attributes(), v.IsNull())
	case types.Map:
		return plainMap(v.Elements(), v.IsNull())
	case types.List:
		return plainList(v.Elements(), v.IsNull())
	case types.Set:
		return plainList(v.Elements(), v.IsNull())
	case types.Tuple:
		return plainList(v.Elements(), v.IsNull())
	case types.String:
		if !v.IsNull() {
			return v.ValueString()
		}
	case types.Bool:
		if !v.IsNull() {
			return v.ValueBool()
		}
	case types.Number:
		if !v.IsNull() {
			return plainNumber(v.ValueBigFloat())
		}
	}
	return nil
}

func plainNumber(number *big.Float) any {
	if whole, accuracy := number.Int64(); accuracy == big.Exact {
		return whole
	}
	float, _ := number.Float64()
	return float
}

func plainMap(elements map[string]attr.Value, null bool) any {
	if null {
		return nil
	}
	plainly := make(map[string]any, len(elements))
	for key, value := range elements {
		plainly[key] = Plain(value)
	}
	return plainly
}

func plainList(elements []attr.Value, null bool) any {
	if null {
		return nil
	}
	plainly := make([]any, 0, len(elements))
	for _, value := range elements {
		plainly = append(plainly, Plain(value))
	}
	return plainly
}

// HCL turns a plain value into the HCL value that a configuration would write for it.
func HCL(ctx context.Context, value any) attr.Value {
	switch v := value.(type) {
	case map[string]any:
		values, kinds := make(map[string]attr.Value, len(v)), make(map[string]attr.Type, len(v))
		for key, below := range v {
			values[key] = HCL(ctx, below)
			kinds[key] = values[key].Type(ctx)
		}
		return types.ObjectValueMust(kinds, values)
	case []any:
		values, kinds := make([]attr.Value, 0, len(v)), make([]attr.Type, 0, len(v))
		for _, below := range v {
			values = append(values, HCL(ctx, below))
			kinds = append(kinds, values[len(values)-1].Type(ctx))
		}
		return types.TupleValueMust(kinds, values)
	case string:
		return types.StringValue(v)
	case bool:
		return types.BoolValue(v)
	case int64:
		return types.NumberValue(new(big.Float).SetInt64(v))
	case float64:
		return types.NumberValue(big.NewFloat(v))
	}
	return types.DynamicNull()
}

// Wholly says whether a value holds nothing that is only known after the apply.
func Wholly(value attr.Value) bool {
	raw, err := value.ToTerraformValue(context.Background()) // no context is used
	return err == nil && raw.IsFullyKnown()
}
