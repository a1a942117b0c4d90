// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
)

// Model is the resource as Terraform holds it.
type Model struct {
	entity.HeavyCommon

	Name            types.String `tfsdk:"name"`
	Prometheus      types.Object `tfsdk:"prometheus"`
	External        types.Object `tfsdk:"external_prometheus"`
	GPUExporter     types.Object `tfsdk:"gpu_exporter"`
	Exporters       types.Set    `tfsdk:"exporters"`
	Alerts          types.Map    `tfsdk:"alerts"`
	ValidationTaint types.String `tfsdk:"validation_taint"`
	Receivers       types.Map    `tfsdk:"receivers"`
	Dashboards      types.Object `tfsdk:"dashboards"`
	Revision        types.Int64  `tfsdk:"secrets_wo_revision"`
	Protection      types.Bool   `tfsdk:"deletion_protection"`

	ActiveAlerts  types.List   `tfsdk:"active_alerts"`
	LeftOut       types.List   `tfsdk:"left_out"`
	PrometheusURL types.String `tfsdk:"prometheus_url"`
	GrafanaURL    types.String `tfsdk:"grafana_url"`

	// secrets are there while a plan or an apply is at work: they go into no state.
	secrets secrets
}

// Label names it for people.
func (m *Model) Label() string { return m.Name.ValueString() }

// Identify fills the identity.
func (m *Model) Identify() any {
	return struct {
		Name types.String `tfsdk:"name"`
	}{m.Name}
}

type prometheusModel struct {
	release.Argument
	Retention      types.String                `tfsdk:"retention"`
	RetentionSize  types.String                `tfsdk:"retention_size"`
	Storage        *storageModel               `tfsdk:"storage"`
	Replicas       types.Int64                 `tfsdk:"replicas"`
	RemoteWrite    map[string]remoteWriteModel `tfsdk:"remote_write"`
	ExternalLabels map[string]string           `tfsdk:"external_labels"`
}

type storageModel struct {
	Class types.String `tfsdk:"class"`
	Size  types.String `tfsdk:"size"`
}

type remoteWriteModel struct {
	URL      types.String      `tfsdk:"url"`
	Headers  map[string]string `tfsdk:"headers"`
	Username types.String      `tfsdk:"username"`
	Password types.String      `tfsdk:"password_wo"`
}

type externalModel struct {
	URL       types.String      `tfsdk:"url"`
	Namespace types.String      `tfsdk:"namespace"`
	Labels    map[string]string `tfsdk:"rule_labels"`
	Operator  types.Bool        `tfsdk:"operator"`
}

type exporterModel struct{ release.Argument }

type alertModel struct {
	Enabled   types.Bool        `tfsdk:"enabled"`
	Threshold types.Float64     `tfsdk:"threshold"`
	For       types.String      `tfsdk:"for"`
	Severity  types.String      `tfsdk:"severity"`
	Labels    map[string]string `tfsdk:"labels"`
}

type receiverModel struct {
	Severities []string        `tfsdk:"severities"`
	Slack      *slackModel     `tfsdk:"slack"`
	Email      *emailModel     `tfsdk:"email"`
	Webhook    *webhookModel   `tfsdk:"webhook"`
	PagerDuty  *pagerDutyModel `tfsdk:"pagerduty"`
}

type slackModel struct {
	Channel types.String `tfsdk:"channel"`
	URL     types.String `tfsdk:"url_wo"`
}

type emailModel struct {
	To        types.String `tfsdk:"to"`
	From      types.String `tfsdk:"from"`
	Smarthost types.String `tfsdk:"smarthost"`
	TLS       types.Bool   `tfsdk:"require_tls"`
	Username  types.String `tfsdk:"username"`
	Password  types.String `tfsdk:"password_wo"`
}

type webhookModel struct {
	URL       types.String `tfsdk:"url"`
	SecretURL types.String `tfsdk:"url_wo"`
	Username  types.String `tfsdk:"username"`
	Password  types.String `tfsdk:"password_wo"`
}

type pagerDutyModel struct {
	Key types.String `tfsdk:"routing_key_wo"`
}

type dashboardsModel struct {
	Enabled   types.Bool        `tfsdk:"enabled"`
	Namespace types.String      `tfsdk:"namespace"`
	Labels    map[string]string `tfsdk:"labels"`
}

// known says whether all that a plan needs is known.
func known(m *Model) bool {
	for _, value := range []attr.Value{
		m.Name, m.Prometheus, m.External, m.GPUExporter, m.Exporters, m.Alerts, m.ValidationTaint, m.Receivers, m.Dashboards,
	} {
		if !release.Wholly(value) {
			return false
		}
	}
	return true
}

// arguments are the arguments of a wholly known model, decoded; nil: left out.
type arguments struct {
	prometheus *prometheusModel
	external   *externalModel
	exporter   *exporterModel
	dashboards *dashboardsModel
	exporters  []string
	alerts     map[string]alertModel
	receivers  map[string]receiverModel
}

func (m *Model) arguments(ctx context.Context) (a arguments, err error) {
	var diags diag.Diagnostics
	diags.Append(decode(ctx, m.Prometheus, &a.prometheus)...)
	diags.Append(decode(ctx, m.External, &a.external)...)
	diags.Append(decode(ctx, m.GPUExporter, &a.exporter)...)
	diags.Append(decode(ctx, m.Dashboards, &a.dashboards)...)
	if !m.Exporters.IsNull() {
		diags.Append(m.Exporters.ElementsAs(ctx, &a.exporters, false)...)
	}
	if !m.Alerts.IsNull() {
		diags.Append(m.Alerts.ElementsAs(ctx, &a.alerts, false)...)
	}
	if !m.Receivers.IsNull() {
		diags.Append(m.Receivers.ElementsAs(ctx, &a.receivers, false)...)
	}
	if diags.HasError() {
		return a, errors.New(diags[0].Detail())
	}
	return a, nil
}

// decode reads an optional argument; nil is left out.
func decode[T any](ctx context.Context, object types.Object, to **T) diag.Diagnostics {
	if object.IsNull() || object.IsUnknown() {
		return nil
	}
	*to = new(T)
	return object.As(ctx, *to, basetypes.ObjectAsOptions{})
}
