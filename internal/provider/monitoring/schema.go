// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
)

const description = "What watches a training platform: Prometheus, Alertmanager and Grafana, the GPU exporter, alert rules, recording rules and dashboards. " +
	"Where a Prometheus is there already, rules and dashboards alone.\n\n" +
	"Rules whose exporters are missing are left out and named in `left_out`. A rule, a dashboard or a setting that somebody edits is drift, and is put back."

func schemaOf(context.Context) schema.Schema {
	return schema.Schema{MarkdownDescription: description, Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true, MarkdownDescription: "Name of the monitoring. Changing it makes a new one.",
			Validators: []validator.String{entity.LabelName()}, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"prometheus":          prometheusAttribute(),
		"external_prometheus": externalAttribute(),
		"gpu_exporter": schema.SingleNestedAttribute{
			Optional: true, Attributes: with(nil),
			MarkdownDescription: "Installs NVIDIA's exporter, with the counters that rules and dashboards read; `{}` suffices. " +
				"Where the GPU Operator brings it, leave it out and name `dcgm-exporter` in `exporters`.",
		},
		"exporters": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			Validators: []validator.Set{setvalidator.SizeAtLeast(1)},
			MarkdownDescription: "Exporters that are there beside those that are installed here, of " + code(monitoring.ExporterNames()) +
				". With `volcano` a monitor is made for it; the others are scraped by what installs them.",
		},
		"alerts": alertsAttribute(),
		"validation_taint": schema.StringAttribute{
			Optional: true, MarkdownDescription: "Key of the taint that keeps nodes out until they are admitted. Default `trainyard.io/validation`.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"receivers": receiversAttribute(),
		"dashboards": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "Dashboards for Grafana, as ConfigMaps that its sidecar loads: fleet, node, team, queue and storage. Left out, they are made.",
			Attributes: map[string]schema.Attribute{
				"enabled":   schema.BoolAttribute{Optional: true, MarkdownDescription: "Make them. Default `true`."},
				"namespace": schema.StringAttribute{Optional: true, Validators: []validator.String{entity.LabelName()}, MarkdownDescription: "Where they lie, in a namespace that exists; left out, where the rules are."},
				"labels":    schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels by which Grafana's sidecar finds them. Default `{ grafana_dashboard = \"1\" }`."},
			},
		},
		"secrets_wo_revision": schema.Int64Attribute{
			Optional: true, MarkdownDescription: "Change it to have changed secrets (`..._wo`) applied: they are in no state, so nobody sees that they change.",
		},
		"deletion_protection": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(true),
			MarkdownDescription: "Refuse to destroy it: nobody would hear of what breaks, and what was measured may go. Default `true`.",
		},
		"active_alerts":  schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Names of the alerts in force."},
		"left_out":       schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Rules that are left out, and the exporters that each lacks."},
		"prometheus_url": schema.StringAttribute{Computed: true, MarkdownDescription: "Address of Prometheus within the cluster, or that of the external one as it is given."},
		"grafana_url":    schema.StringAttribute{Computed: true, MarkdownDescription: "Address of Grafana within the cluster; none where none is installed."},
	}}
}

// with are the attributes of a release and others beside them.
func with(more map[string]schema.Attribute) map[string]schema.Attribute {
	all := release.ArgumentAttributes()
	maps.Copy(all, more)
	return all
}

// code is a list of words for Markdown.
func code(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }
