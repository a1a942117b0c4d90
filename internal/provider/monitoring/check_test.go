// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

func TestConfigurationsAreChecked(t *testing.T) {
	p := acctest.NewProtocol(t)
	for _, test := range []struct {
		name, config string
		paths        []string
		text         string // in the first problem
	}{
		{"an empty stack suffices", `"prometheus":{}`, nil, ""},
		{"an external Prometheus suffices", `"external_prometheus":{},"gpu_exporter":{},"exporters":["volcano"]`, nil, ""},
		{"all that is right", `"prometheus":{"retention":"30d","storage":{"size":"500Gi"},"remote_write":{"central":{"url":"https://m","username":"a","password_wo":"b"}}},
			"alerts":{"GPUUnderused":{"threshold":30,"for":"2h","severity":"info","labels":{"pager":"a"}}},
			"receivers":{"page":{"pagerduty":{"routing_key_wo":"x"}},"bot":{"severities":["info"],"webhook":{"url":"http://bot"}},
				"mail":{"email":{"to":"a@b","from":"c@d","smarthost":"e:25","username":"f","password_wo":"g"}}},
			"dashboards":{"enabled":false}`, nil, ""},
		{"nothing that evaluates rules", `"gpu_exporter":{}`, []string{"prometheus"}, "external_prometheus"},
		{"two that evaluate rules", `"prometheus":{},"external_prometheus":{}`, []string{"external_prometheus"}, "installed here too"},
		{"receivers of a foreign Alertmanager", `"external_prometheus":{},"receivers":{"a":{"slack":{"url_wo":"x"}}}`, []string{"receivers"}, "not ours"},
		{"an alert that is not known", `"prometheus":{},"alerts":{"GPUSad":{}}`, []string{`alerts["GPUSad"]`}, "GPUUnderused"},
		{
			"a threshold that is never reached", `"prometheus":{},"alerts":{"GPUUnderused":{"threshold":-1,"severity":"dire"}}`,
			[]string{`alerts["GPUUnderused"].threshold`, `alerts["GPUUnderused"].severity`},
			"at least 0",
		},
		{"an exporter that is not known", `"prometheus":{},"exporters":["top"]`, []string{"exporters"}, "dcgm-exporter"},
		{"a retention without a unit", `"prometheus":{"retention":"30"}`, []string{"prometheus.retention"}, "30d"},
		{"a severity that is none", `"prometheus":{},"receivers":{"a":{"severities":["dire"],"slack":{"url_wo":"x"}}}`, []string{`receivers["a"].severities[0]`}, "critical"},
		{"a receiver that cannot be reached", `"prometheus":{},"receivers":{"a":{}}`, []string{`receivers["a"]`}, "no way to reach it"},
		{"secrets that are missing", `"prometheus":{"remote_write":{"m":{"url":"http://m","username":"a"}}},"receivers":{"a":{"slack":{},"pagerduty":{},"webhook":{"username":"b"}}}`, []string{
			`prometheus.remote_write["m"].password_wo`, `receivers["a"].slack.url_wo`, `receivers["a"].pagerduty.routing_key_wo`,
			`receivers["a"].webhook.password_wo`, `receivers["a"].webhook.url_wo`,
		}, "missing"},
		{"secrets that nobody asks for", `"prometheus":{"remote_write":{"m":{"url":"http://m","password_wo":"hidden"}}},"receivers":{"a":{"webhook":{"url":"http://b","url_wo":"hidden"}}}`, []string{
			`prometheus.remote_write["m"].password_wo`, `receivers["a"].webhook.url_wo`,
		}, "nobody asks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := p.Validate("trainyard_monitoring", `{"name":"m",`+test.config+`}`)
			var paths []string
			for _, problem := range problems {
				paths = append(paths, problem.Path)
				if strings.Contains(problem.Text, "hidden") {
					t.Errorf("a secret is told: %s", problem.Text)
				}
			}
			if diff := cmp.Diff(test.paths, paths); diff != "" {
				t.Fatalf("problems (-want +got):\n%s\n%v", diff, problems)
			}
			if len(problems) > 0 && !strings.Contains(problems[0].Text, test.text) {
				t.Errorf("%q is not in %q", test.text, problems[0].Text)
			}
		})
	}
}
