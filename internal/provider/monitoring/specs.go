// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// usual are the severities that a receiver gets where it names none.
var usual = []string{"critical", "warning"}

// spec is how metrics are kept. What a secret is does not show in it: a state, which holds none,
// gives the same.
func (p *prometheusModel) spec() (s spec.Prometheus) {
	s = spec.Prometheus{
		Retention: p.Retention.ValueString(), RetentionSize: p.RetentionSize.ValueString(), Replicas: int(p.Replicas.ValueInt64()),
		ExternalLabels: p.ExternalLabels, RemoteWrite: map[string]spec.RemoteWrite{},
	}
	if p.Storage != nil {
		s.Storage = &spec.Volume{Class: p.Storage.Class.ValueString(), Size: p.Storage.Size.ValueString()}
	}
	for name, server := range p.RemoteWrite {
		s.RemoteWrite[name] = spec.RemoteWrite{URL: server.URL.ValueString(), Headers: server.Headers, Username: server.Username.ValueString()}
	}
	return s
}

func (a arguments) receiverSpecs() map[string]spec.Receiver {
	all := map[string]spec.Receiver{}
	for name, receiver := range a.receivers {
		all[name] = receiver.spec()
	}
	return all
}

func (r receiverModel) spec() (s spec.Receiver) {
	if s.Severities = r.Severities; len(s.Severities) == 0 {
		s.Severities = usual
	}
	if r.Slack != nil {
		s.Slack = &spec.Slack{Channel: r.Slack.Channel.ValueString()}
	}
	if r.Email != nil {
		s.Email = &spec.Email{
			To: r.Email.To.ValueString(), From: r.Email.From.ValueString(), Smarthost: r.Email.Smarthost.ValueString(),
			Username: r.Email.Username.ValueString(), Plain: !r.Email.TLS.IsNull() && !r.Email.TLS.ValueBool(),
		}
	}
	if r.Webhook != nil {
		s.Webhook = &spec.Webhook{URL: r.Webhook.URL.ValueString(), Username: r.Webhook.Username.ValueString()}
	}
	if r.PagerDuty != nil {
		s.PagerDuty = &spec.PagerDuty{}
	}
	return s
}

func (a arguments) overrides() monitoring.Overrides {
	all := monitoring.Overrides{}
	for name, alert := range a.alerts {
		all[name] = monitoring.Override{
			Disable: !alert.Enabled.IsNull() && !alert.Enabled.ValueBool(), Threshold: alert.Threshold.ValueFloat64Pointer(),
			For: alert.For.ValueString(), Severity: alert.Severity.ValueString(), Labels: alert.Labels,
		}
	}
	return all
}

// defaultLabels are those by which the sidecar of kube-prometheus-stack's Grafana finds dashboards.
var defaultLabels = map[string]string{"grafana_dashboard": "1"}

// boards are the dashboards that are wanted, and where.
func (a arguments) boards() (wanted bool, namespace string, labels map[string]string) {
	if a.dashboards == nil {
		return true, "", defaultLabels
	}
	if labels = a.dashboards.Labels; labels == nil {
		labels = defaultLabels
	}
	return a.dashboards.Enabled.IsNull() || a.dashboards.Enabled.ValueBool(), a.dashboards.Namespace.ValueString(), labels
}

// operated says whether the Prometheus operator takes rules and monitors.
func (a arguments) operated() bool {
	return a.external == nil || a.external.Operator.IsNull() || a.external.Operator.ValueBool()
}

// labels are those by which an external Prometheus selects rules and monitors.
func (a arguments) labels() map[string]string {
	if a.external == nil {
		return nil
	}
	return a.external.Labels
}

// namespace is where the rules lie.
func (a arguments) namespace() string {
	switch {
	case a.external != nil:
		return cmp.Or(a.external.Namespace.ValueString(), defaultNamespace)
	case a.prometheus == nil: // an import, which knows the name alone
		return defaultNamespace
	}
	return cmp.Or(a.prometheus.Namespace.ValueString(), defaultNamespace)
}
