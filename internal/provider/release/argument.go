// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package release is what resources that install charts have in common: the arguments that say
// which chart and with which values, and what becomes of them.
package release

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

// Chart is the argument that says where a chart comes from.
type Chart struct {
	Repository types.String `tfsdk:"repository"`
	Registry   types.String `tfsdk:"registry"`
	Path       types.String `tfsdk:"path"`
	Name       types.String `tfsdk:"name"`
	Version    types.String `tfsdk:"version"`
	Digest     types.String `tfsdk:"digest"`
}

// ChartTypes are the types of the attributes of Chart.
var ChartTypes = map[string]attr.Type{
	"repository": types.StringType, "registry": types.StringType, "path": types.StringType,
	"name": types.StringType, "version": types.StringType, "digest": types.StringType,
}

// ChartAttribute is the schema of Chart. text says what it is and when it is given.
func ChartAttribute(text string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: text,
		Attributes: map[string]schema.Attribute{
			"repository": schema.StringAttribute{Optional: true, MarkdownDescription: "URL of a chart repository (`https://...`)."},
			"registry":   schema.StringAttribute{Optional: true, MarkdownDescription: "OCI registry and path without the chart's name (`oci://...`)."},
			"path":       schema.StringAttribute{Optional: true, MarkdownDescription: "A directory or a packed chart (`.tgz`)."},
			"name":       schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the chart."},
			"version":    schema.StringAttribute{Optional: true, MarkdownDescription: "Exact version of the chart."},
			"digest": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Digest of the packed chart (`sha256:...`). Without one, that of the first installation is recorded and checked from then on.",
			},
		},
	}
}

// DecodeChart reads the argument; an absent one is empty.
func DecodeChart(ctx context.Context, object types.Object) (chart Chart, diags diag.Diagnostics) {
	if object.IsNull() || object.IsUnknown() {
		return chart, nil
	}
	return chart, object.As(ctx, &chart, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true})
}

// Argument is how a resource lets one of its charts be changed.
type Argument struct {
	Namespace types.String  `tfsdk:"namespace"`
	Chart     types.Object  `tfsdk:"chart"`
	Values    types.Dynamic `tfsdk:"values"`
}

// ArgumentAttributes are the attributes of Argument, for a chart of the catalogue.
func ArgumentAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"namespace": schema.StringAttribute{
			Optional: true, Validators: []validator.String{entity.LabelName()},
			MarkdownDescription: "Namespace of the release; left out, the one that is usual for the chart. Changing it uninstalls the chart and installs it there.",
		},
		"chart":  ChartAttribute("Another chart than the catalogue's, or with `version` and `digest` alone another version of it."),
		"values": schema.DynamicAttribute{Optional: true, MarkdownDescription: "Values for the chart, laid over those that Trainyard sets."},
	}
}
