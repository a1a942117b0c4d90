// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
)

const description = "A chart, of the catalogue or any other, installed and kept as it was installed.\n\n" +
	"The plan says which objects come, go or change, field by field, as the API server itself would make them. A failed installation is kept " +
	"in state with `ready = false`, and the next apply goes on from there; definitions and volumes survive. Every hand edit of a field that the chart sets is drift.\n\n" +
	"Releases are stored as Helm stores them: `helm list` shows them, and what the helm command installed can be imported."

func schemaOf(context.Context) schema.Schema {
	attributes := map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true, MarkdownDescription: "Name of the release, at most 53 characters. Changing it makes a new one.",
			Validators: []validator.String{entity.LabelName(), stringvalidator.LengthAtMost(53)}, PlanModifiers: replaces(),
		},
		"namespace": schema.StringAttribute{
			Required: true, MarkdownDescription: "Namespace of the release. Changing it makes a new one.",
			Validators: []validator.String{entity.LabelName()}, PlanModifiers: replaces(),
		},
		"create_namespace": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Make the namespace where it is missing. It stays when the release goes, with whatever else is in it. Default `false`.",
		},
		"catalog": schema.StringAttribute{
			Optional: true, MarkdownDescription: "Name of a chart of the catalogue, such as `nvidia-device-plugin`, which brings its address, version, digest and values.",
		},
		"chart": release.ChartAttribute("Where the chart comes from: `repository` or `registry` with `name` and `version`, or `path`. " +
			"Beside `catalog` only `version` and `digest`, to take another version than the catalogue's."),
		"values": schema.DynamicAttribute{
			Optional: true, MarkdownDescription: "Values for the chart, as HCL with its types. Laid over `values_yaml`; `null` takes a default of the chart away.",
		},
		"values_yaml": schema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Values for the chart as YAML texts, such as `file(\"values.yaml\")`. Each is laid over those before it, and all over the catalogue's.",
		},
		"values_wo": schema.DynamicAttribute{
			Optional: true, WriteOnly: true,
			MarkdownDescription: "Secret values for the chart, laid over all others at every apply. They are in no state and no plan; Helm's own record of the release, " +
				"a Secret in its namespace, holds them, and whatever the chart makes of them. Needs Terraform 1.11 or OpenTofu 1.11.",
		},
		"values_wo_revision": schema.Int64Attribute{Optional: true, MarkdownDescription: "Change it to have changed `values_wo` applied."},
	}
	for name, attribute := range optionAttributes() {
		attributes[name] = attribute
	}
	for name, attribute := range outputAttributes() {
		attributes[name] = attribute
	}
	return schema.Schema{MarkdownDescription: description, Attributes: attributes}
}

func replaces() []planmodifier.String {
	return []planmodifier.String{stringplanmodifier.RequiresReplace()}
}

func optionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"crds": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString("apply"),
			Validators: []validator.String{stringvalidator.OneOf("apply", "create", "skip")},
			MarkdownDescription: "What happens to the definitions in the chart's `crds` folders: `apply` makes them and brings them up to date with the chart, " +
				"`create` makes those that are missing, `skip` leaves them to others. Default `apply`.",
		},
		"hooks": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(true), MarkdownDescription: "Run the chart's hooks. Default `true`.",
		},
		"wait": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(true),
			MarkdownDescription: "Wait until what the chart made is ready. Default `true`.",
		},
		"history_limit": schema.Int64Attribute{
			Optional: true, Computed: true, Default: int64default.StaticInt64(5), Validators: []validator.Int64{int64validator.Between(1, 100)},
			MarkdownDescription: "How many revisions are kept for `helm rollback`. Default 5.",
		},
		"on_failure": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString("keep"), Validators: []validator.String{stringvalidator.OneOf("keep", "rollback")},
			MarkdownDescription: "After a failed upgrade: `keep` what stands for the next apply to go on from, or `rollback` to the revision before. Default `keep`.",
		},
		"delete": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "Data that may go with the release. Without it definitions, volume claims and namespaces of the chart stay.",
			Attributes: map[string]schema.Attribute{
				"crds":    schema.BoolAttribute{Optional: true, MarkdownDescription: "Delete the chart's definitions, and with them **every object of their kinds**."},
				"volumes": schema.BoolAttribute{Optional: true, MarkdownDescription: "Delete the chart's volume claims and namespaces, and with them **the data in them**."},
			},
		},
	}
}

func outputAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"revision":      schema.Int64Attribute{Computed: true, MarkdownDescription: "Helm's revision of the release."},
		"chart_version": schema.StringAttribute{Computed: true, MarkdownDescription: "Version of the installed chart."},
		"app_version":   schema.StringAttribute{Computed: true, MarkdownDescription: "Version of what the chart installs, by the chart."},
		"chart_digest":  schema.StringAttribute{Computed: true, MarkdownDescription: "Digest of the installed chart."},
		"images": schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Images that the chart's pods run.",
		},
	}
}
