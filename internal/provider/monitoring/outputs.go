// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
)

// outputs tell the configuration alone, so that a plan knows them.
type outputs struct {
	active, leftOut     []string
	prometheus, grafana string
}

func outputsOf(groups []monitoring.Group, leftOut []string, given arguments, stack chartvalues.Stack) outputs {
	out := outputs{leftOut: leftOut, prometheus: stack.Prometheus, grafana: stack.Grafana}
	if given.external != nil {
		out.prometheus = given.external.URL.ValueString()
	}
	for _, group := range groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" {
				out.active = append(out.active, rule.Alert)
			}
		}
	}
	return out
}

// open marks the outputs as only known after the apply.
func open(m *Model) {
	m.ActiveAlerts, m.LeftOut = types.ListUnknown(types.StringType), types.ListUnknown(types.StringType)
	m.PrometheusURL, m.GrafanaURL = types.StringUnknown(), types.StringUnknown()
}

func (o outputs) fill(m *Model) {
	m.ActiveAlerts, m.LeftOut = release.Texts(o.active), release.Texts(o.leftOut)
	m.PrometheusURL, m.GrafanaURL = textOrNull(o.prometheus), textOrNull(o.grafana)
}

func textOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func (w whole) status() string {
	text := fmt.Sprintf("%d alerts", len(w.out.active))
	for _, part := range w.Parts {
		text += ", " + part.Name()
	}
	return text
}
