// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// secrets are the write-only values of a configuration.
type secrets struct {
	// receivers are those of receivers, by chartvalues.ReceiverSecret; passwords those for
	// servers that take samples, by their names.
	receivers, passwords map[string]string
	// open: some are only known after the apply.
	open bool
}

// readSecrets copies write-only values from the configuration into the model: a plan has none.
func readSecrets(ctx context.Context, config tfsdk.Config, m *Model) (diags diag.Diagnostics) {
	var given Model
	diags.Append(config.GetAttribute(ctx, path.Root("prometheus"), &given.Prometheus)...)
	diags.Append(config.GetAttribute(ctx, path.Root("receivers"), &given.Receivers)...)
	if diags.HasError() {
		return diags
	}
	if !release.Wholly(given.Prometheus) || !release.Wholly(given.Receivers) {
		m.secrets.open = true
		return diags
	}
	a, err := given.arguments(ctx)
	if err != nil {
		diags.AddError("Unable to read the secrets of the configuration", err.Error())
		return diags
	}
	m.secrets, _ = a.secrets()
	return diags
}

// secrets gathers the secrets, and finds those that are missing.
func (a arguments) secrets() (s secrets, v spec.Violations) {
	s = secrets{receivers: map[string]string{}, passwords: map[string]string{}}
	need := func(into map[string]string, key string, at spec.Path, value types.String, when bool) {
		switch given := value.ValueString() != ""; {
		case when && !given:
			v.Add(at, "Set it, best to an ephemeral variable", "it is missing")
		case !when && given:
			v.Add(at, "Leave it out, or set username", "nobody asks for it")
		case given:
			into[key] = value.ValueString()
		}
	}
	if a.prometheus != nil {
		for _, name := range slices.Sorted(maps.Keys(a.prometheus.RemoteWrite)) {
			server := a.prometheus.RemoteWrite[name]
			need(s.passwords, name, spec.Path{"prometheus", "remote_write", spec.Key(name), "password_wo"}, server.Password, !server.Username.IsNull())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.receivers)) {
		r := a.receivers[name]
		of := func(what string, value types.String, when bool, at ...any) {
			need(s.receivers, chartvalues.ReceiverSecret(name, what), spec.Path{"receivers", spec.Key(name)}.At(at...), value, when)
		}
		if r.Slack != nil {
			of("slack-url", r.Slack.URL, true, "slack", "url_wo")
		}
		if r.Email != nil {
			of("email-password", r.Email.Password, !r.Email.Username.IsNull(), "email", "password_wo")
		}
		if r.PagerDuty != nil {
			of("pagerduty-key", r.PagerDuty.Key, true, "pagerduty", "routing_key_wo")
		}
		if r.Webhook != nil {
			of("webhook-password", r.Webhook.Password, !r.Webhook.Username.IsNull(), "webhook", "password_wo")
			if !r.Webhook.URL.IsNull() && !r.Webhook.SecretURL.IsNull() {
				v.Add(spec.Path{"receivers", spec.Key(name), "webhook", "url_wo"}, "Set one of them", "url and url_wo are both set")
				continue
			}
			of("webhook-url", r.Webhook.SecretURL, r.Webhook.URL.IsNull(), "webhook", "url_wo")
		}
	}
	return s, v
}

// mask hides the secrets wherever their texts stand.
func (s secrets) mask() redact.Masker {
	var texts []any
	for _, secret := range []map[string]string{s.receivers, s.passwords} {
		for text := range maps.Values(secret) {
			texts = append(texts, text)
		}
	}
	return redact.Of(texts...)
}
