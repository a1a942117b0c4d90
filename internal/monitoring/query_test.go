// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
)

// selector is a use of a metric in a query: its name, and the labels by which it is picked.
type selector struct {
	metric string
	labels []string
}

// selectors lets Prometheus parse a query and returns every use of a metric in it.
func selectors(t *testing.T, prometheus server, query string) (found []selector) {
	t.Helper()
	var tree any
	if err := prometheus.get("parse_query", query, &tree); err != nil {
		t.Error(err)
	}
	var walk func(node any)
	walk = func(node any) {
		switch n := node.(type) {
		case []any:
			for _, child := range n {
				walk(child)
			}
		case map[string]any:
			if kind := n["type"]; kind == "vectorSelector" || kind == "matrixSelector" {
				found = append(found, asSelector(n))
			}
			for _, child := range n {
				walk(child)
			}
		}
	}
	walk(tree)
	return found
}

func asSelector(node map[string]any) (s selector) {
	s.metric, _ = node["name"].(string)
	matchers, _ := node["matchers"].([]any)
	for _, one := range matchers {
		matcher, _ := one.(map[string]any)
		if label, _ := matcher["name"].(string); label != "__name__" {
			s.labels = append(s.labels, label)
		}
	}
	return s
}

// source says who gives a metric, for which labels.
type source struct {
	exporters []string
	labels    []string // nil: any
	recorded  bool
}

// sources are all metrics that exporters give and rules record. A record that several exporters
// feed needs one of them.
func sources() map[string]source {
	all := map[string]source{
		// Prometheus's own: what alerts are pending or fire.
		"ALERTS": {labels: []string{"alertname", "alertstate", "severity", labelManagedBy}},
	}
	for _, exporter := range Exporters() {
		for _, metric := range exporter.Metrics {
			labels := metric.Labels
			if exporter.Name == "dcgm-exporter" {
				labels = append(slices.Clone(labels), "exported_namespace", "exported_pod")
			}
			all[metric.Name] = source{exporters: []string{exporter.Name}, labels: labels}
		}
	}
	for _, record := range Records() {
		before := all[record.Name]
		all[record.Name] = source{exporters: append(before.exporters, record.Needs...), recorded: true}
	}
	return all
}

func TestEveryQueryAsksForWhatAnExporterGives(t *testing.T) {
	dir := t.TempDir()
	prometheus := startPrometheus(t, dir, "global: {}\n")
	known, used := sources(), map[string]bool{}
	check := func(where, query string) (needs []string) {
		for _, s := range selectors(t, prometheus, query) {
			used[s.metric] = true
			from, ok := known[s.metric]
			if !ok {
				t.Errorf("%s asks for %s, which nothing gives", where, s.metric)
			}
			for _, label := range s.labels {
				if from.labels != nil && !slices.Contains(from.labels, label) {
					t.Errorf("%s picks %s by %s, which it does not have", where, s.metric, label)
				}
			}
			needs = append(needs, from.exporters...)
		}
		slices.Sort(needs)
		return slices.Compact(needs)
	}

	groups, _ := Rules(everything())
	for _, rule := range flat(groups) {
		needs := check(rule.Record+rule.Alert, rule.Expr)
		if diff := cmp.Diff(declared(rule), needs); diff != "" {
			t.Errorf("%s%s needs (-declared +true):\n%s", rule.Record, rule.Alert, diff)
		}
	}
	for name, board := range boards(t) {
		for _, panel := range board.Panels {
			for _, target := range panel.Targets {
				check(name+", "+panel.Title, filledIn(board, target.Expr))
			}
		}
		for _, variable := range board.Templating.List {
			if query, ok := strings.CutPrefix(variable.Definition, "label_values("); ok {
				metric, _, _ := strings.Cut(query, ",")
				check(name+", variable "+variable.Name, metric)
			}
		}
	}
	for _, metric := range slices.Sorted(maps.Keys(known)) {
		if !used[metric] && !known[metric].recorded { // what is recorded is for queries of people too
			t.Errorf("nobody asks for %s", metric)
		}
	}
}

// declared are the exporters that the data names for a rule, in order.
func declared(rule Rule) (needs []string) {
	if alert, ok := alertNamed(rule.Alert); ok {
		needs = slices.Concat(alert.Needs, alert.NeedsAny)
	}
	for _, record := range Records() {
		if record.Name == rule.Record && maps.Equal(record.Labels, rule.Labels) {
			needs = slices.Clone(record.Needs)
		}
	}
	slices.Sort(needs)
	return needs
}

func TestRecordsComeAfterWhatTheyRead(t *testing.T) {
	prometheus := startPrometheus(t, t.TempDir(), "global: {}\n")
	known, before := sources(), map[string]bool{}
	for _, record := range Records() {
		for _, s := range selectors(t, prometheus, record.Expr) {
			if known[s.metric].recorded && !before[s.metric] {
				t.Errorf("%s reads %s, which is recorded later", record.Name, s.metric)
			}
		}
		before[record.Name] = true
	}
}

func TestExportersAreInTheCatalogue(t *testing.T) {
	for _, exporter := range Exporters() {
		for _, chart := range exporter.Charts {
			if _, ok := catalog.ChartNamed(chart); !ok {
				t.Errorf("%s: the catalogue has no chart %q", exporter.Name, chart)
			}
		}
		for _, metric := range exporter.Metrics {
			if metric.Type != "counter" && metric.Type != "gauge" {
				t.Errorf("%s: %q is not a type", metric.Name, metric.Type)
			}
		}
	}
}

func TestAlertsSayWhatTheyMean(t *testing.T) {
	for _, alert := range Alerts() {
		if alert.Summary == "" || alert.Action == "" || alert.Source == "" || !isDuration(alert.For) ||
			!slices.Contains(Severities, alert.Severity) || (alert.Threshold == nil) != (alert.Unit == "") {
			t.Errorf("%s lacks something", alert.Name)
		}
		for _, need := range slices.Concat(alert.Needs, alert.NeedsAny) {
			if !slices.Contains(ExporterNames(), need) {
				t.Errorf("%s needs %s, which is no exporter", alert.Name, need)
			}
		}
		if uses := strings.Contains(alert.Expr, ".Threshold"); uses != (alert.Threshold != nil) {
			t.Errorf("%s: a threshold that is there is used, and none other", alert.Name)
		}
	}
}

func TestTheExportersAreToldWhatToGive(t *testing.T) {
	counters := GPUCounters()
	for _, line := range []string{
		"DCGM_FI_PROF_SM_ACTIVE, gauge, Ratio of cycles an SM has at least one warp assigned.\n",
		"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL, counter, Double-bit errors since the driver was loaded.\n",
	} {
		if !strings.Contains(counters, line) {
			t.Errorf("%q is missing in\n%s", line, counters)
		}
	}
	want := []string{"namespaces=[trainyard.io/name,trainyard.io/resource]", "pods=[volcano.sh/queue-name]", "nodes=[trainyard.io/pool]"}
	if diff := cmp.Diff(want, LabelAllowlist()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
