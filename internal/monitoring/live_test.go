// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAlertsReachPeople runs the real Prometheus and the real Alertmanager on exporters that say
// that everything is wrong: each alert must arrive at a webhook, and each query of a dashboard
// must find something to show.
func TestAlertsReachPeople(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exporter, inbox := startExporters(t), startWebhook(t)
	alertmanager := startAlertmanager(t, dir, fmt.Sprintf(alertmanagerConfig, inbox.url))
	o := everything()
	o.Overrides = Overrides{}
	for _, name := range AlertNames() {
		o.Overrides[name] = Override{For: "1s", Labels: map[string]string{"pager": "training"}}
	}
	groups, _ := Rules(o)
	write(t, dir, "rules.yaml", File(groups))
	prometheus := startPrometheus(t, dir, fmt.Sprintf(prometheusConfig, alertmanager.address, exporter))

	for name, board := range boards(t) {
		for _, panel := range board.Panels {
			for _, target := range panel.Targets {
				eventually(t, func() error { return shows(prometheus, name+", "+panel.Title, filledIn(board, target.Expr)) })
			}
		}
	}
	eventually(t, func() error {
		got := slices.Sorted(maps.Keys(inbox.alerts()))
		if diff := cmp.Diff(slices.Sorted(slices.Values(AlertNames())), got); diff != "" {
			return fmt.Errorf("alerts that arrived (-want +got):\n%s", diff)
		}
		return nil
	})
	alert, _ := alertNamed("GPUUnderused")
	want := message{
		Status: "firing",
		Labels: map[string]string{
			"alertname": "GPUUnderused", "severity": "warning", "managed_by": "trainyard", "pager": "training",
			"node": "gpu-01", "gpu": "0", "UUID": "GPU-0", "modelName": "NVIDIA H100 80GB HBM3", "namespace": "vision", "pod": "train-0",
		},
		Annotations: map[string]string{"summary": "GPU 0 of gpu-01 is at 20 % for vision/train-0", "description": alert.Action},
	}
	if diff := cmp.Diff(want, inbox.alerts()["GPUUnderused"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const alertmanagerConfig = `
route: {receiver: nobody, routes: [{matchers: ['managed_by="trainyard"'], receiver: people, group_by: [alertname], group_wait: 0s, group_interval: 1s}]}
receivers: [{name: nobody}, {name: people, webhook_configs: [{url: %q}]}]
`

// The GPU exporter is scraped as the Prometheus operator has it done: its target has a namespace
// and a pod of its own.
const prometheusConfig = `
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yaml]
alerting: {alertmanagers: [{static_configs: [{targets: [%[1]q]}]}]}
scrape_configs:
- {job_name: gpu, metrics_path: /gpu, static_configs: [{targets: [%[2]q], labels: {namespace: monitoring, pod: dcgm-exporter-x7k2p}}]}
- {job_name: others, metrics_path: /others, static_configs: [{targets: [%[2]q]}]}
`

// shows fails where a query finds nothing.
func shows(prometheus server, where, query string) error {
	var answer struct {
		Result []any `json:"result"`
	}
	if err := prometheus.get("query", query, &answer); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if len(answer.Result) == 0 {
		return fmt.Errorf("%s: nothing to show for %s", where, query)
	}
	return nil
}

// startExporters serves the series of testdata/site.txt, and returns its address.
func startExporters(t *testing.T) string {
	t.Helper()
	site, err := os.ReadFile("testdata/site.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]bool{}
	for _, exporter := range Exporters() {
		for _, metric := range exporter.Metrics {
			counts[metric.Name] = metric.Type == "counter"
		}
	}
	began := sync.OnceValue(time.Now)
	exporters := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for line := range strings.Lines(string(site)) {
			name, _, _ := strings.Cut(line, "{")
			at := strings.LastIndex(line, " ")
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "DCGM_") != (r.URL.Path == "/gpu") {
				continue
			}
			value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if counts[name] {
				value *= min(time.Since(began()).Seconds()/2, 1)
			}
			fmt.Fprintf(w, "%s %g\n", line[:at], value)
		}
	}))
	t.Cleanup(exporters.Close)
	return strings.TrimPrefix(exporters.URL, "http://")
}

// message is what a webhook is told of one alert.
type message struct {
	Status      string            `json:"status"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// webhook keeps the last message about each alert.
type webhook struct {
	url  string
	last chan map[string]message // holds the one map, which whoever takes it may use
}

func startWebhook(t *testing.T) *webhook {
	t.Helper()
	hook := &webhook{last: make(chan map[string]message, 1)}
	hook.last <- map[string]message{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var notice struct {
			Alerts []message `json:"alerts"`
		}
		if err := json.NewDecoder(r.Body).Decode(&notice); err != nil {
			t.Errorf("a notice cannot be read: %v", err)
		}
		all := <-hook.last
		for _, alert := range notice.Alerts {
			all[alert.Labels["alertname"]] = alert
		}
		hook.last <- all
	}))
	t.Cleanup(receiver.Close)
	hook.url = receiver.URL
	return hook
}

func (w *webhook) alerts() map[string]message {
	all := <-w.last
	defer func() { w.last <- all }()
	return maps.Clone(all)
}
