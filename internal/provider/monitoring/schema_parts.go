// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
)

func text(about string) schema.Attribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)}, MarkdownDescription: about}
}

func required(about string) schema.Attribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: about}
}

func secret(about string) schema.Attribute {
	return schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: about + " Write-only: it is in no state and no plan. Needs Terraform 1.11 or OpenTofu 1.11."}
}

func texts(about string) schema.Attribute {
	return schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: about}
}

func object(about string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: about, Attributes: attributes}
}

func prometheusAttribute() schema.Attribute {
	return object("Installs kube-prometheus-stack: Prometheus, Alertmanager, Grafana and the exporters of nodes and of Kubernetes; `{}` suffices.", with(map[string]schema.Attribute{
		"retention":      text("How long samples are kept, such as `30d`."),
		"retention_size": text("From which size the oldest samples go, such as `450GB`; some less than the volume holds."),
		"storage": object("Volume of each replica. Without it samples are lost with the pod.", map[string]schema.Attribute{
			"class": text("Its StorageClass; left out, the default one."),
			"size":  required("Its size, such as `500Gi`."),
		}),
		"replicas": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(1, 10)}, MarkdownDescription: "How many Prometheus measure side by side."},
		"remote_write": schema.MapNestedAttribute{
			Optional: true, MarkdownDescription: "Servers that get a copy of every sample, by name.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"url":         required("Its address."),
				"headers":     texts("Headers of each request, such as `X-Scope-OrgID`. They are no secrets."),
				"username":    text("Name for basic authentication."),
				"password_wo": secret("Its password."),
			}},
		},
		"external_labels": texts("Labels that tell the samples and alerts of this Prometheus from those of others."),
	}))
}

func externalAttribute() schema.Attribute {
	return object("A Prometheus that is there already: rules and dashboards are made for it, and nothing is installed. In place of `prometheus`.", map[string]schema.Attribute{
		"url":       text("Its address, for the output `prometheus_url`."),
		"namespace": schema.StringAttribute{Optional: true, Validators: []validator.String{entity.LabelName()}, MarkdownDescription: "Where rules are made. Default `" + defaultNamespace + "`."},
		"rule_labels": texts("Labels of the rules and monitors, by which it selects them, such as `{ release = \"prometheus\" }`. " +
			"A chart named kube-prometheus-stack selects by its release unless it is told otherwise."),
		"operator": schema.BoolAttribute{
			Optional: true, MarkdownDescription: "Whether the Prometheus operator runs it. Default `true`. With `false` the rules are a file, `trainyard.rules.yaml` in a ConfigMap `trainyard-rules`.",
		},
	})
}

func alertsAttribute() schema.Attribute {
	return schema.MapNestedAttribute{
		Optional: true, MarkdownDescription: "Changes of alerts, by name: " + code(monitoring.AlertNames()) + ".",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"enabled":   schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether it is in force. Default `true`."},
			"threshold": schema.Float64Attribute{Optional: true, MarkdownDescription: "What is compared with, in the unit of the alert."},
			"for":       text("How long it must hold before it fires, such as `30m`."),
			"severity":  text("Of " + code(monitoring.Severities) + "."),
			"labels":    texts("More labels of it, for routing."),
		}},
	}
}

func receiversAttribute() schema.Attribute {
	return schema.MapNestedAttribute{
		Optional: true, MarkdownDescription: "Who gets alerts, by name. They take the place of the receivers and routes that the chart gives to Alertmanager.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"severities": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(stringvalidator.OneOf(monitoring.Severities...))},
				MarkdownDescription: "Severities of the alerts that it gets, of " + code(monitoring.Severities) + ". Default " + code(usual) + ".",
			},
			"slack": object("A channel of Slack.", map[string]schema.Attribute{
				"channel": text("The channel; left out, that of the webhook."),
				"url_wo":  secret("Address of the incoming webhook."),
			}),
			"email": object("Mail.", map[string]schema.Attribute{
				"to":          required("Who gets it; several with `,` between them."),
				"from":        required("Who sends it."),
				"smarthost":   required("Server that takes it, such as `smtp.example.com:587`."),
				"require_tls": schema.BoolAttribute{Optional: true, MarkdownDescription: "Send with TLS only. Default `true`."},
				"username":    text("Name at the server."),
				"password_wo": secret("Its password."),
			}),
			"webhook": object("An HTTP endpoint that takes Alertmanager's own messages.", map[string]schema.Attribute{
				"url":         text("Its address."),
				"url_wo":      secret("Its address, where that is a secret."),
				"username":    text("Name for basic authentication."),
				"password_wo": secret("Its password."),
			}),
			"pagerduty": object("A service of PagerDuty.", map[string]schema.Attribute{
				"routing_key_wo": secret("Its integration key, of the Events API v2."),
			}),
		}},
	}
}
