// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Exporter is a program that measures.
type Exporter struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Charts are the entries of the catalogue that install it; none where a site brings its own.
	Charts  []string `json:"charts"`
	Note    string   `json:"note,omitempty"` // what has to be known to read it
	Metrics []Metric `json:"metrics"`
}

// Metric is one metric of an exporter that a rule or a dashboard reads.
type Metric struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`   // counter or gauge
	Labels []string `json:"labels"` // those that are of use
	Help   string   `json:"help"`
	// Extra is set where the exporter gives it only when told to.
	Extra bool `json:"extra,omitempty"`
	// Allow is the entry of the allow list of kube-state-metrics that it takes.
	Allow string `json:"allow,omitempty"`
}

//go:embed exporters.yaml
var exportersYAML []byte

var exporters = sync.OnceValue(func() (all []Exporter) {
	decode("exporters", exportersYAML, &all)
	return all
})

// Exporters are all that rules and dashboards know. What their lists hold must not be changed.
func Exporters() []Exporter { return slices.Clone(exporters()) }

// ExporterNames are the names of all exporters.
func ExporterNames() []string {
	var names []string
	for _, exporter := range exporters() {
		names = append(names, exporter.Name)
	}
	return names
}

// GPUCounters is the list of counters that dcgm-exporter is to be given, in its CSV: the fields
// that rules and dashboards read, of which its own list lacks some, and the driver's version as
// a label.
func GPUCounters() string {
	var b strings.Builder
	for _, metric := range exporterNamed("dcgm-exporter").Metrics {
		fmt.Fprintf(&b, "%s, %s, %s\n", metric.Name, metric.Type, metric.Help)
	}
	b.WriteString("DCGM_FI_DRIVER_VERSION, label, Driver version.\n")
	return b.String()
}

// LabelAllowlist is what kube-state-metrics is to be told to show of the labels of objects, as
// its flag --metric-labels-allowlist and its chart's metricLabelsAllowlist take it.
func LabelAllowlist() (list []string) {
	for _, metric := range exporterNamed("kube-state-metrics").Metrics {
		if metric.Allow != "" {
			list = append(list, metric.Allow)
		}
	}
	return list
}

func exporterNamed(name string) Exporter {
	for _, exporter := range exporters() {
		if exporter.Name == name {
			return exporter
		}
	}
	return Exporter{}
}
