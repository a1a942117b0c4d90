// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

var (
	watcher = spec.Prometheus{
		Retention: "30d", RetentionSize: "450GB", Storage: &spec.Volume{Class: "fast", Size: "500Gi"}, Replicas: 2,
		ExternalLabels: map[string]string{"cluster": "research"},
		RemoteWrite: map[string]spec.RemoteWrite{
			"central": {URL: "https://metrics.example.com/write", Headers: map[string]string{"X-Scope-OrgID": "ml"}, Username: "robot"},
			"backup":  {URL: "http://backup:9090/api/v1/write"},
		},
	}
	everyWay = map[string]spec.Receiver{
		"page": {Severities: []string{"critical"}, PagerDuty: &spec.PagerDuty{}},
		"team": {Severities: []string{"critical", "warning"}, Slack: &spec.Slack{Channel: "#gpu"}, Webhook: &spec.Webhook{Username: "robot"}},
		"mail": {Severities: []string{"info"}, Email: &spec.Email{
			To: "a@example.com", From: "b@example.com", Smarthost: "smtp.example.com:587", Username: "robot", Plain: true,
		}},
		"open": {Severities: []string{"warning"}, Webhook: &spec.Webhook{URL: "http://bot:8080/alerts"}, Slack: &spec.Slack{}},
	}
)

// TestMonitoringValues compares what charts get with what was read and found right. UPDATE=1
// writes anew.
func TestMonitoringValues(t *testing.T) {
	groups := []monitoring.Group{{Name: "trainyard-gpu-alerts", Rules: []monitoring.Rule{{Alert: "GPUHot", Expr: "temp > 90", For: "5m"}}}}
	usernames, passwords := map[string]string{"central": "robot"}, map[string]string{"central": "hidden"}
	credentials, secret := RemoteWriteCredentials(usernames, passwords)
	golden(t, map[string]map[string]any{
		"kube-prometheus-stack":       KubePrometheusStack(watcher, everyWay),
		"kube-prometheus-stack-plain": KubePrometheusStack(spec.Prometheus{}, nil),
		"dcgm-exporter":               DCGMExporter(true, map[string]string{"release": "main"}),
		"dcgm-exporter-annotated":     DCGMExporter(false, map[string]string{"release": "main"}),
		"monitoring-operator":         Monitoring(Watch{Groups: groups, Operator: true, Labels: map[string]string{"release": "main"}, Volcano: true}),
		"monitoring-file":             Monitoring(Watch{Groups: groups, Volcano: true}),
		"monitoring-secrets":          {"credentials": credentials, "secret": secret, "receivers": ReceiverSecrets(map[string]string{ReceiverSecret("team", "slack-url"): "hidden"})},
	})
}

func TestEveryDashboardBecomesAValue(t *testing.T) {
	values := Monitoring(Watch{Dashboards: true, DashboardsNamespace: "grafana", DashboardLabels: map[string]string{"a": "b"}})
	made, _ := values["dashboards"].(map[string]any)
	if boards, _ := made["boards"].(map[string]any); len(boards) != len(monitoring.Dashboards()) || made["namespace"] != "grafana" {
		t.Errorf("dashboards: %d in %v", len(boards), made["namespace"])
	}
}

func TestTheStackSaysWhatItMakes(t *testing.T) {
	off := map[string]any{"enabled": false}
	for _, test := range []struct {
		name   string
		values map[string]any
		want   Stack
	}{
		{"as the chart has it", nil, Stack{
			Prometheus: "http://kube-prometheus-stack-prometheus.monitoring.svc:9090", Grafana: "http://kube-prometheus-stack-grafana.monitoring.svc:80",
			Exporters: []string{"node-exporter", "kube-state-metrics", "kubelet"},
		}},
		{"with names and ports of its own", map[string]any{
			"fullnameOverride": "a-name-longer-than-the-chart-takes", "prometheus": map[string]any{"service": map[string]any{"port": int64(80)}},
			"grafana": map[string]any{"fullnameOverride": "charts"}, "kubelet": map[string]any{"enabled": true},
		}, Stack{
			Prometheus: "http://a-name-longer-than-the-cha-prometheus.monitoring.svc:80", Grafana: "http://charts.monitoring.svc:80",
			Exporters: []string{"node-exporter", "kube-state-metrics", "kubelet"},
		}},
		{"with parts switched off", map[string]any{
			"prometheus": off, "grafana": off, "nodeExporter": off, "kubeStateMetrics": off, "kubelet": off,
		}, Stack{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, StackOf("monitoring", "kube-prometheus-stack", test.values)); diff != "" {
				t.Errorf("stack (-want +got):\n%s", diff)
			}
		})
	}
}
