// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func paths(v Violations) (all []string) {
	for _, violation := range v {
		all = append(all, violation.Path.String())
	}
	return all
}

func TestPrometheusIsChecked(t *testing.T) {
	for _, test := range []struct {
		name string
		give Prometheus
		want []string
	}{
		{"what is left out is the chart's", Prometheus{}, nil},
		{"all that is right", Prometheus{
			Retention: "1y2w", RetentionSize: "1.5TiB", Storage: &Volume{Class: "fast", Size: "200Gi"}, Replicas: 2,
			RemoteWrite: map[string]RemoteWrite{"central": {
				URL: "https://metrics.example.com/write", Headers: map[string]string{"X-Scope-OrgID": "ml"}, Username: "robot",
			}},
			ExternalLabels: map[string]string{"cluster": "research"},
		}, nil},
		{"a retention without a unit", Prometheus{Retention: "30"}, []string{"retention"}},
		{"a retention of nothing", Prometheus{Retention: "0d"}, []string{"retention"}},
		{"a size as Kubernetes writes it", Prometheus{RetentionSize: "450Gi"}, []string{"retention_size"}},
		{"a volume without a size", Prometheus{Storage: &Volume{Class: "Fast"}}, []string{"storage.class", "storage.size"}},
		{"a volume of nothing", Prometheus{Storage: &Volume{Size: "0"}}, []string{"storage.size"}},
		{"servers that are none", Prometheus{RemoteWrite: map[string]RemoteWrite{
			"A": {URL: "metrics"}, "b": {URL: "ftp://metrics"}, "c": {URL: "https://robot:secret@metrics"},
			"d": {URL: "http://metrics", Headers: map[string]string{"authorization": "Bearer x", "a b": "c"}},
		}}, []string{
			`remote_write["A"]`, `remote_write["A"].url`, `remote_write["b"].url`, `remote_write["c"].url`,
			`remote_write["d"].headers["a b"]`, `remote_write["d"].headers["authorization"]`,
		}},
		{"labels that are none", Prometheus{ExternalLabels: map[string]string{"a-b": "c", "__d": "e"}}, []string{`external_labels["__d"]`, `external_labels["a-b"]`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, paths(test.give.Validate())); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReceiversAreChecked(t *testing.T) {
	mail := Email{To: "a@example.com, b@example.com", From: "alerts@example.com", Smarthost: "smtp.example.com:587"}
	for _, test := range []struct {
		name string
		give map[string]Receiver
		want []string
	}{
		{"all that is right", map[string]Receiver{
			"ops": {Slack: &Slack{}, PagerDuty: &PagerDuty{}}, "mail": {Email: &mail}, "bot": {Webhook: &Webhook{}}, "open": {Webhook: &Webhook{URL: "http://bot:8080/x"}},
		}, nil},
		{"one that cannot be reached", map[string]Receiver{"ops": {}}, []string{`["ops"]`}},
		{"names that cannot be", map[string]Receiver{"null": {Slack: &Slack{}}, "Ops": {Slack: &Slack{}}}, []string{`["Ops"]`, `["null"]`}},
		{"mail to nobody", map[string]Receiver{"mail": {Email: &Email{To: "all", Smarthost: "smtp"}}}, []string{`["mail"].email.to`, `["mail"].email.from`, `["mail"].email.smarthost`}},
		{"a mail server without its port", map[string]Receiver{"mail": {Email: &Email{To: mail.To, From: mail.From, Smarthost: "smtp:0"}}}, []string{`["mail"].email.smarthost`}},
		{"a password in an address", map[string]Receiver{"bot": {Webhook: &Webhook{URL: "https://a:b@bot"}}}, []string{`["bot"].webhook.url`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, paths(ValidateReceivers(test.give))); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}
