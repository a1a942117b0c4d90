// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidateRefusesWhatCannotBe(t *testing.T) {
	for _, test := range []struct {
		name      string
		overrides Overrides
		want      []string
	}{
		{"nothing", nil, nil},
		{"all at once", Overrides{"GPUUnderused": {
			Threshold: new(40.0), For: "1d12h", Severity: "info", Labels: map[string]string{"pager": "gpu"},
		}}, nil},
		{"an alert that is not known names those that are", Overrides{"GPUIdle": {Disable: true}}, []string{
			`["GPUIdle"]: "GPUIdle" is not an alert that Trainyard knows. Use one of ` + strings.Join(AlertNames(), ", "),
		}},
		{"a threshold where there is none", Overrides{"GPUXid": {Threshold: new(1.0)}}, []string{
			`["GPUXid"].threshold: GPUXid has no threshold. Leave it out`,
		}},
		{"more than all", Overrides{"GPUMemoryNearlyFull": {Threshold: new(101.0)}}, []string{
			`["GPUMemoryNearlyFull"].threshold: 101 % cannot be reached. Give at most 100`,
		}},
		{"less than nothing, and what is no number", Overrides{"CacheReadSlow": {Threshold: new(-1.0)}, "InletTemperatureHigh": {Threshold: new(math.Inf(1))}, "RackPowerHigh": {Threshold: new(math.NaN())}}, []string{
			`["CacheReadSlow"].threshold: -1 cannot be reached. Give a number of at least 0, in MB/s`,
			`["InletTemperatureHigh"].threshold: +Inf cannot be reached. Give a number of at least 0, in °C`,
			`["RackPowerHigh"].threshold: NaN cannot be reached. Give a number of at least 0, in kW`,
		}},
		{"a label by which alerts differ", Overrides{"RackPowerHigh": {Labels: map[string]string{"node": "x", "queue": "x", "team": "infra"}}}, []string{
			`["RackPowerHigh"].labels["node"]: the label node tells alerts apart that fire at once. Use another name`,
			`["RackPowerHigh"].labels["queue"]: the label queue tells alerts apart that fire at once. Use another name`,
		}},
		{"longer than Prometheus counts", Overrides{"QueueStarved": {For: "99999w"}}, []string{
			`["QueueStarved"].for: "99999w" is not a duration. Write it as Prometheus does, such as "1h30m" or "0s"`,
		}},
		{"what is no duration, no severity, no label", Overrides{"QueueStarved": {
			For: "1.5h", Severity: "page", Labels: map[string]string{"severity": "x", "a-b": "x", "__x": "x"},
		}}, []string{
			`["QueueStarved"].for: "1.5h" is not a duration. Write it as Prometheus does, such as "1h30m" or "0s"`,
			`["QueueStarved"].severity: "page" is not a severity. Use one of critical, warning, info`,
			`["QueueStarved"].labels["__x"]: "__x" is not the name of a label. Use letters, digits and "_"`,
			`["QueueStarved"].labels["a-b"]: "a-b" is not the name of a label. Use letters, digits and "_"`,
			`["QueueStarved"].labels["severity"]: the label severity is the alert's own. Use another name`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, violation := range Validate(test.overrides) {
				got = append(got, violation.Error())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What passes Validate must not be refused by Prometheus later, where nobody looks.
func TestPrometheusAcceptsWhatASiteMayOverride(t *testing.T) {
	for name, override := range map[string]Override{
		"longest":  {For: "9999w9999d9999h9999m9999s", Severity: "critical"},
		"shortest": {For: "0s", Severity: "info"},
		"labels":   {Labels: map[string]string{"pager": "a \"quoted\" {{ $value }} 'text': #1\nand a line"}},
		"tiny":     {Threshold: new(1e-300)},
		"exact":    {Threshold: new(99.123456789)},
	} {
		t.Run(name, func(t *testing.T) {
			o := everything()
			o.Overrides = Overrides{}
			for _, alert := range Alerts() {
				if override.Threshold == nil || alert.Threshold != nil {
					o.Overrides[alert.Name] = override
				}
			}
			if violations := Validate(o.Overrides); len(violations) > 0 {
				t.Fatal(violations)
			}
			groups, _ := Rules(o)
			promtool(t, "check", "rules", write(t, t.TempDir(), "rules.yaml", File(groups)))
		})
	}
}
