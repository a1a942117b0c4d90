// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// everything is a site that scrapes all exporters.
func everything() Options { return Options{Exporters: ExporterNames()} }

func TestRulesAreRenderedAsBefore(t *testing.T) {
	groups, leftOut := Rules(everything())
	if len(leftOut) > 0 {
		t.Errorf("with every exporter nothing is left out, got %q", leftOut)
	}
	golden(t, "rules.yaml", File(groups))
}

func TestPrometheusAcceptsTheRules(t *testing.T) {
	groups, _ := Rules(everything())
	file := write(t, t.TempDir(), "rules.yaml", File(groups))
	out := promtool(t, "check", "rules", "--lint=all", "--lint-fatal", file)
	if !strings.Contains(out, "SUCCESS") {
		t.Errorf("promtool says %s", out)
	}
}

func TestSpecHoldsWhatTheFileHolds(t *testing.T) {
	groups, _ := Rules(everything())
	var file, object any
	if err := yaml.Unmarshal(File(groups), &file); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(Spec(groups))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, object); diff != "" {
		t.Errorf("(-file +object):\n%s", diff)
	}
}

func TestRulesWithoutTheirExporterAreLeftOutAndNamed(t *testing.T) {
	for _, test := range []struct {
		name      string
		exporters []string
		alerts    []string
		leftOut   []string // some of them
	}{
		{
			"no exporter at all", nil, nil,
			[]string{"GPUUnderused: needs dcgm-exporter", "GPUMetricsMissing: needs dcgm-exporter and kube-state-metrics"},
		},
		{
			"a PDU is enough for a rack",
			[]string{"snmp-exporter"},
			[]string{"RackPowerHigh", "InletTemperatureHigh"},
			[]string{`trainyard:rack_power:watts{source="ipmi"}: needs ipmi-exporter`},
		},
		{
			"a BMC is enough too",
			[]string{"redfish-exporter"},
			[]string{"RackPowerHigh", "InletTemperatureHigh"},
			[]string{`trainyard:rack_power:watts{source="pdu"}: needs snmp-exporter`},
		},
		{
			"neither",
			[]string{"minio"},
			[]string{"ObjectStorageReadSlow"},
			[]string{"RackPowerHigh: needs one of snmp-exporter, ipmi-exporter, redfish-exporter"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			groups, leftOut := Rules(Options{Exporters: test.exporters})
			var alerts []string
			for _, rule := range flat(groups) {
				if rule.Alert != "" {
					alerts = append(alerts, rule.Alert)
				}
			}
			if diff := cmp.Diff(test.alerts, alerts); diff != "" {
				t.Errorf("alerts (-want +got):\n%s", diff)
			}
			for _, want := range test.leftOut {
				if !slices.Contains(leftOut, want) {
					t.Errorf("%q is missing among %q", want, leftOut)
				}
			}
			if got, want := len(flat(groups))+len(leftOut), len(records())+len(Alerts()); got != want {
				t.Errorf("%d rules are rendered or left out, want all %d", got, want)
			}
		})
	}
}

func TestAnOverrideChangesExactlyItsAlert(t *testing.T) {
	before, _ := Rules(everything())
	for _, test := range []struct {
		name     string
		override Override
		want     func(*Rule)
	}{
		{"threshold", Override{Threshold: new(35.5)}, func(r *Rule) { r.Expr = strings.Replace(r.Expr, "< 50", "< 35.5", 1) }},
		{"for", Override{For: "2h30m"}, func(r *Rule) { r.For = "2h30m" }},
		{"severity", Override{Severity: "critical"}, func(r *Rule) { r.Labels["severity"] = "critical" }},
		{"labels", Override{Labels: map[string]string{"pager": "gpu"}}, func(r *Rule) { r.Labels["pager"] = "gpu" }},
		{"nothing", Override{}, func(*Rule) {}},
		{"disable", Override{Disable: true}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := everything()
			o.Overrides = Overrides{"GPUUnderused": test.override}
			after, leftOut := Rules(o)
			if len(leftOut) > 0 {
				t.Errorf("a site's wish is not a lack, got %q", leftOut)
			}
			want := flat(before)
			at := slices.IndexFunc(want, func(r Rule) bool { return r.Alert == "GPUUnderused" })
			if test.want == nil {
				want = slices.Delete(want, at, at+1)
			} else {
				changed := copied(t, want[at])
				test.want(&changed)
				want[at] = changed
			}
			if diff := cmp.Diff(want, flat(after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheTaintOfASiteIsWatched(t *testing.T) {
	groups, _ := Rules(Options{Exporters: []string{"kube-state-metrics"}, ValidationTaint: "example.com/unproven"})
	for _, rule := range flat(groups) {
		if rule.Alert == "NodeNotAdmitted" && strings.Contains(rule.Expr, `key="example.com/unproven"`) {
			return
		}
	}
	t.Error("no alert watches the taint")
}

func flat(groups []Group) (all []Rule) {
	for _, group := range groups {
		all = append(all, group.Rules...)
	}
	return all
}

func copied(t *testing.T, rule Rule) (fresh Rule) {
	t.Helper()
	data, err := yaml.Marshal(rule)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &fresh); err != nil {
		t.Fatal(err)
	}
	return fresh
}
