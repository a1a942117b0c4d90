// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package monitoring says what is watched on a training platform: exporters and their metrics,
// recording rules, alert rules and dashboards. All of it is data, and everything here is a pure
// function; installing and scraping are for others.
package monitoring

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"sync"
	"text/template"

	"sigs.k8s.io/yaml"
)

// Severities are what an alert asks of people, the most urgent first: a hand at once, one
// today, none.
var Severities = []string{"critical", "warning", "info"}

// Alert is one alert rule. Expr and Summary are templates of ours around what Prometheus reads.
type Alert struct {
	Name    string `json:"name"`
	Summary string `json:"summary"` // one line, with the labels of the series
	Action  string `json:"action"`  // what to do
	Expr    string `json:"expr"`
	For     string `json:"for"` // how long Expr must hold, as Prometheus writes it: 1h, 10m
	// Severity is one of Severities.
	Severity string `json:"severity"`
	// Threshold is what Expr compares with, in Unit; nil where there is nothing to set.
	Threshold *float64 `json:"threshold,omitempty"`
	Unit      string   `json:"unit,omitempty"`
	// Needs are exporters without any of which it cannot fire; of NeedsAny one is enough.
	Needs    []string `json:"needs,omitempty"`
	NeedsAny []string `json:"needs_any,omitempty"`
	When     string   `json:"when,omitempty"` // what must hold besides, and why
	Source   string   `json:"source"`         // where the figure comes from
	// Labels are added to the alert; only an override gives any.
	Labels map[string]string `json:"-"`

	group string
}

//go:embed rules/alerts.yaml
var alertsYAML []byte

var alerts = sync.OnceValue(func() (all []Alert) {
	var groups []struct {
		Group  string  `json:"group"`
		Alerts []Alert `json:"alerts"`
	}
	decode("alerts", alertsYAML, &groups)
	for _, group := range groups {
		for _, alert := range group.Alerts {
			alert.group = group.Group
			all = append(all, alert)
		}
	}
	return all
})

// Alerts are all alert rules with their defaults, in the order of the groups. What their lists
// and pointers hold must not be changed.
func Alerts() []Alert { return slices.Clone(alerts()) }

// AlertNames are the names of all alert rules, in the same order.
func AlertNames() []string {
	var names []string
	for _, alert := range alerts() {
		names = append(names, alert.Name)
	}
	return names
}

// decode reads embedded data. It is part of the program and tested with it: what cannot be read
// is a fault of the build.
func decode(what string, data []byte, into any) {
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		panic(fmt.Sprintf("the %s of monitoring cannot be read: %v", what, err))
	}
}

// render executes a template of the embedded data. Its delimiters leave Prometheus's own alone.
func render(text string, values any) string {
	parsed, err := template.New("").Delims("[[", "]]").Option("missingkey=error").Funcs(macros).Parse(text)
	if err != nil {
		panic(fmt.Sprintf("a template of monitoring cannot be read: %v", err)) // as for decode
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, values); err != nil {
		panic(fmt.Sprintf("a template of monitoring cannot be filled in: %v", err)) // as for decode
	}
	return out.String()
}
