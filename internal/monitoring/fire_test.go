// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// minute is how often series are sampled and rules evaluated here.
const minute = time.Minute

// labels of a firing alert beside severity and managed_by; summary is its summary as sent.
type firing struct {
	labels  map[string]string
	summary string
}

// TestAlertsFire gives Prometheus's own engine series on which an alert must fire: not one
// evaluation before its expression has held for its time, and then.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	var tests []map[string]any
	for _, c := range slices.Concat(gpuFires(), platformFires()) {
		alert, known := alertNamed(c.alert)
		if !known {
			t.Fatalf("%s is not an alert", c.alert)
		}
		tested[c.alert] = true
		tests = append(tests, c.test(t, alert))
	}
	for _, name := range AlertNames() {
		if !tested[name] {
			t.Errorf("nothing shows that %s fires", name)
		}
	}
	runRuleTests(t, tests)
}

// TestAlertsKeepSilent gives the engine series of a healthy platform, and those that look ill
// but are not; no alert may fire at any time.
func TestAlertsKeepSilent(t *testing.T) {
	t.Parallel()
	var tests []map[string]any
	for _, c := range slices.Concat(gpuSilences(), platformSilences()) {
		tests = append(tests, map[string]any{
			"name": c.name, "interval": "1m", "input_series": inputs(c.series),
			"promql_expr_test": []any{map[string]any{
				"expr": `group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[2h]))`, "eval_time": "100m",
			}},
		})
	}
	runRuleTests(t, tests)
}

// fire is a case in which an alert fires: the first evaluation at which its expression holds is
// that at onset.
type fire struct {
	name, alert string
	series      [][2]string // a series, and its values a minute apart
	onset       time.Duration
	want        []firing
}

// silence is a case in which no alert fires.
type silence struct {
	name   string
	series [][2]string
}

func (f fire) test(t *testing.T, alert Alert) map[string]any {
	t.Helper()
	hold, err := time.ParseDuration(alert.For)
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	for _, one := range f.want {
		labels := map[string]any{"severity": alert.Severity, labelManagedBy: "trainyard"}
		for name, value := range one.labels {
			labels[name] = value
		}
		want = append(want, map[string]any{
			"exp_labels": labels, "exp_annotations": map[string]any{"summary": one.summary, "description": alert.Action},
		})
	}
	checks := []any{map[string]any{"eval_time": text(f.onset + hold), "alertname": alert.Name, "exp_alerts": want}}
	if before := f.onset + hold - minute; before >= 0 {
		checks = append(checks, map[string]any{"eval_time": text(before), "alertname": alert.Name})
	}
	return map[string]any{
		"name": alert.Name + ": " + f.name, "interval": "1m", "input_series": inputs(f.series), "alert_rule_test": checks,
	}
}

func inputs(series [][2]string) (list []any) {
	for _, one := range series {
		list = append(list, map[string]any{"series": one[0], "values": one[1]})
	}
	return list
}

func text(d time.Duration) string { return fmt.Sprintf("%dm", d/minute) }

// runRuleTests lets promtool run tests on the rules of a site that scrapes everything.
func runRuleTests(t *testing.T, tests []map[string]any) {
	t.Helper()
	dir := t.TempDir()
	groups, _ := Rules(everything())
	write(t, dir, "rules.yaml", File(groups))
	var order []string
	for _, group := range groups {
		order = append(order, group.Name)
	}
	file, err := yaml.Marshal(map[string]any{
		"rule_files": []string{"rules.yaml"}, "evaluation_interval": "1m", "group_eval_order": order, "tests": tests,
	})
	if err != nil {
		t.Fatal(err)
	}
	promtool(t, "test", "rules", write(t, dir, "tests.yaml", file))
}
