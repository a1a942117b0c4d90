// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring_test

import (
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

func watches(s *site) {
	t := s.t
	more := `exporters = ["volcano"]`
	settings := `retention = "30d", replicas = 2, storage = { class = "fast", size = "200Gi" }, external_labels = { cluster = "research" }`
	w := s.Workspace(s.config(s.stack(settings), s.exporter(), more) + `
output "active"   { value = join(" ", trainyard_monitoring.this.active_alerts) }
output "left_out" { value = join("; ", trainyard_monitoring.this.left_out) }
output "urls"     { value = [trainyard_monitoring.this.prometheus_url, trainyard_monitoring.this.grafana_url] }
`)
	text := w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, "create PrometheusRule "+s.ns+"/trainyard-gpu-alerts", "create DaemonSet "+s.ns+"/dcgm-exporter", "create ServiceMonitor "+s.ns+"/trainyard-volcano",
		"GPUUnderused", "needs ceph", "http://kube-prometheus-stack-prometheus."+s.ns+".svc:9090", "http://kube-prometheus-stack-grafana."+s.ns+".svc:80")
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, s.found(rules, "trainyard-gpu-alerts", "spec"), "GPUUnderused", "{{ $labels.")
	has(t, s.found(prometheus, "kube-prometheus-stack-prometheus", "spec"), "30d", "replicas:2", "fast", "200Gi", "cluster:research")
	has(t, s.found(acctest.ConfigMap, "kube-prometheus-stack-exporters", "data"), "pods=[volcano.sh/queue-name]", "--collector.mountstats")
	has(t, s.found(acctest.ConfigMap, "exporter-metrics-config-map", "data", "metrics"), "DCGM_FI_DEV_XID_ERRORS, gauge")
	has(t, s.found(acctest.ConfigMap, "trainyard-dashboard-fleet", "data"), "trainyard-fleet")
	has(t, s.found(acctest.ConfigMap, "trainyard-dashboard-fleet", "metadata", "labels"), "grafana_dashboard:1")
	has(t, s.found(monitors, "trainyard-volcano", "spec"), "volcano-scheduler")
	s.Get(monitors, s.ns, "dcgm-exporter")

	t.Log("a rule that somebody edits, and one that somebody deletes, is drift and put back")
	s.Edit(rules, s.ns, "trainyard-node-records", `{"spec":{"groups":[]}}`)
	s.Delete(rules, s.ns, "trainyard-gpu-alerts")
	text = w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, "PrometheusRule "+s.ns+"/trainyard-gpu-alerts: deleted", "PrometheusRule "+s.ns+"/trainyard-node-records: spec.groups")
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, s.found(rules, "trainyard-gpu-alerts", "spec"), "GPUUnderused")

	t.Log("what a lost state knew is imported by its name, and taken over in place")
	before := s.Get(deployments, s.ns, "kube-prometheus-stack-operator").GetUID()
	w = s.Workspace(w.Config())
	w.Must(w.Run("import", "trainyard_monitoring.this", s.ns), 0)
	w.Must(w.Apply(), 0)
	w.Settled()
	if after := s.Get(deployments, s.ns, "kube-prometheus-stack-operator").GetUID(); after != before {
		t.Error("an import made the operator anew")
	}

	w.Must(w.Destroy(), 0)
	s.gone(deployments, "kube-prometheus-stack-operator")
	s.gone(daemonSets, "dcgm-exporter")
	s.gone(rules, "trainyard-gpu-alerts", "trainyard-node-records")
	s.gone(monitors, "trainyard-volcano", "dcgm-exporter")
	s.gone(acctest.ConfigMap, "trainyard-dashboard-fleet", "exporter-metrics-config-map")
	if s.Find(definitions, "", "prometheusrules.monitoring.coreos.com") == nil {
		t.Error("the definitions are gone, and with them the rules of others")
	}
}

func overrides(s *site) {
	t := s.t
	w := s.Workspace(s.config(s.stack(""), s.exporter()))
	w.Must(w.Apply(), 0)
	w.Write(s.config(s.stack(""), s.exporter(), `alerts = { GPUUnderused = { threshold = 30, for = "2h", severity = "info" } }`))
	text := w.Must(w.Plan(), acctest.Changes).Text
	has(t, text, "change PrometheusRule "+s.ns+"/trainyard-gpu-alerts: spec.groups[0].rules[0].expr", "spec.groups[0].rules[0].for")
	if changed := strings.Count(text, "change "); changed != strings.Count(text, "change PrometheusRule "+s.ns+"/trainyard-gpu-alerts: spec.groups[0].rules[0].") {
		t.Errorf("more changes than the rule:\n%s", text)
	}
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, s.found(rules, "trainyard-gpu-alerts", "spec"), "< 30", "for:2h")

	t.Log("an alert that is switched off goes, and what has no dashboards makes none")
	w.Write(s.config(s.stack(""), s.exporter(), `alerts = { GPUUnderused = { enabled = false } }`, `dashboards = { enabled = false }`))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "delete ConfigMap "+s.ns+"/trainyard-dashboard-fleet")
	w.Must(w.Apply(), 0)
	w.Settled()
	if text := s.found(rules, "trainyard-gpu-alerts", "spec"); strings.Contains(text, "GPUUnderused") {
		t.Errorf("the alert is still there: %s", text)
	}
	w.Must(w.Destroy(), 0)
}

func external(s *site) {
	t := s.t
	external := func(more string) string {
		return `external_prometheus = { namespace = "` + s.ns + `", url = "http://prometheus.example:9090", rule_labels = { release = "main" }` + more + ` }`
	}
	exporters := `exporters = ["dcgm-exporter", "node-exporter", "volcano"]`
	w := s.Workspace(s.config(external(""), exporters))
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, s.found(rules, "trainyard-gpu-alerts", "metadata", "labels"), "release:main")
	has(t, s.found(monitors, "trainyard-volcano", "metadata", "labels"), "release:main")
	s.gone(deployments, "kube-prometheus-stack-operator")
	s.gone(kube.Secret, alertmanager)

	t.Log("without an operator the rules are a file")
	w.Write(s.config(external(", operator = false"), exporters))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "create ConfigMap "+s.ns+"/trainyard-rules", "delete PrometheusRule "+s.ns+"/trainyard-gpu-alerts")
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, s.found(acctest.ConfigMap, "trainyard-rules", "data", "trainyard.rules.yaml"), "alert: GPUUnderused")
	s.gone(monitors, "trainyard-volcano")
	w.Must(w.Destroy(), 0)
	s.gone(acctest.ConfigMap, "trainyard-rules", "trainyard-dashboard-fleet")
}
