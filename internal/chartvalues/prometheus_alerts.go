// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"maps"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// alertmanagerFiles is where the operator puts the keys of the Secret with Alertmanager's
// configuration. Its secrets are files there, so that the configuration itself holds none, and
// can be compared and shown.
const alertmanagerFiles = "/etc/alertmanager/config/"

// ReceiverSecret is the key of one secret of a receiver: what is "slack-url", "email-password",
// "webhook-url", "webhook-password" or "pagerduty-key".
func ReceiverSecret(receiver, what string) string { return receiver + "-" + what }

// ReceiverSecrets are the values that hand secrets, by their keys, to Alertmanager: the chart
// puts them beside its configuration.
func ReceiverSecrets(secrets map[string]string) map[string]any {
	return map[string]any{"alertmanager": map[string]any{"templateFiles": object(secrets)}}
}

// alertmanager is the part of Alertmanager's configuration that says who gets what. Each
// receiver gets every alert of its severities, so that several can get one. What inhibits what
// stays as the chart has it.
func alertmanager(receivers map[string]spec.Receiver) map[string]any {
	all := []any{map[string]any{"name": spec.NoReceiver}}
	// The watchdog always fires, to show that alerts arrive; it is no news to people.
	routes := []any{map[string]any{"receiver": spec.NoReceiver, "matchers": []any{`alertname = "Watchdog"`}}}
	for _, name := range slices.Sorted(maps.Keys(receivers)) {
		all = append(all, receiver(name, receivers[name]))
		routes = append(routes, map[string]any{
			"receiver": name, "continue": true, "matchers": []any{`severity =~ "` + strings.Join(receivers[name].Severities, "|") + `"`},
		})
	}
	return map[string]any{
		"route":     map[string]any{"receiver": spec.NoReceiver, "group_by": []any{"alertname", "namespace"}, "routes": routes},
		"receivers": all,
	}
}

func receiver(name string, r spec.Receiver) map[string]any {
	file := func(what string) string { return alertmanagerFiles + ReceiverSecret(name, what) }
	made := map[string]any{"name": name}
	if r.Slack != nil {
		slack := map[string]any{"api_url_file": file("slack-url"), "send_resolved": true}
		if r.Slack.Channel != "" {
			slack["channel"] = r.Slack.Channel
		}
		made["slack_configs"] = []any{slack}
	}
	if r.Email != nil {
		email := map[string]any{
			"to": r.Email.To, "from": r.Email.From, "smarthost": r.Email.Smarthost, "require_tls": !r.Email.Plain, "send_resolved": true,
		}
		if r.Email.Username != "" {
			email["auth_username"], email["auth_password_file"] = r.Email.Username, file("email-password")
		}
		made["email_configs"] = []any{email}
	}
	if r.Webhook != nil {
		webhook := map[string]any{"send_resolved": true}
		if r.Webhook.URL != "" {
			webhook["url"] = r.Webhook.URL
		} else {
			webhook["url_file"] = file("webhook-url")
		}
		if r.Webhook.Username != "" {
			webhook["http_config"] = map[string]any{
				"basic_auth": map[string]any{"username": r.Webhook.Username, "password_file": file("webhook-password")},
			}
		}
		made["webhook_configs"] = []any{webhook}
	}
	if r.PagerDuty != nil {
		made["pagerduty_configs"] = []any{map[string]any{"routing_key_file": file("pagerduty-key"), "send_resolved": true}}
	}
	return made
}
