// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
)

// Record is one recording rule. Several may record the same series, each from another exporter
// and with labels of its own.
type Record struct {
	Name   string            `json:"record"` // trainyard:WHAT:UNIT
	Help   string            `json:"help"`
	Expr   string            `json:"expr"`
	Labels map[string]string `json:"labels,omitempty"`
	Needs  []string          `json:"needs"` // exporters, all of them

	group string
}

//go:embed rules/records.yaml
var recordsYAML []byte

var records = sync.OnceValue(func() (all []Record) {
	var groups []struct {
		Group   string   `json:"group"`
		Records []Record `json:"records"`
	}
	decode("recording rules", recordsYAML, &groups)
	for _, group := range groups {
		for _, record := range group.Records {
			record.group = group.Group
			record.Expr = strings.TrimSpace(render(record.Expr, nil))
			all = append(all, record)
		}
	}
	return all
})

// Records are all recording rules, each after those that it reads. What their lists and maps
// hold must not be changed.
func Records() []Record { return slices.Clone(records()) }

var macros = template.FuncMap{"gpu": perGPU, "rack": perRack, "accelerators": accelerators}

// perGPU gives a metric of the GPU exporter the labels by which everything else goes: the node,
// and the namespace and pod that have the GPU, where one has.
//
// The exporter's labels namespace and pod clash with those that the Prometheus operator gives to
// each target, and Prometheus renames them to exported_namespace and exported_pod, unless it was
// told to honour them. Where there is no clash they are as they were; but then an idle GPU, which
// has none, shows the exporter's own pod, and that is taken off.
func perGPU(metric string) string {
	const exporter = `.*dcgm-exporter.*`
	return fmt.Sprintf(`avg by (node, gpu, UUID, GPU_I_ID, modelName, namespace, pod) (
  label_replace(
    label_replace(label_replace(%[1]s{exported_pod!=""}, "pod", "$1", "exported_pod", "(.+)"), "namespace", "$1", "exported_namespace", "(.+)")
    or %[1]s{exported_pod="",pod!~"%[2]s"}
    or label_replace(label_replace(%[1]s{exported_pod="",pod=~"%[2]s"}, "pod", "", "pod", ".*"), "namespace", "", "namespace", ".*"),
    "node", "$1", "Hostname", "(.+)"
  )
)`, metric, exporter)
}

// perRack names the rack of what a BMC or a PDU measures: the target's label rack, else the
// instance. The matchers, if any, pick among the metric's series.
func perRack(metric string, matchers ...string) string {
	with := func(more string) string { return strings.Join(append(slices.Clone(matchers), more), ",") }
	return fmt.Sprintf(`%[1]s{%[2]s} or label_replace(%[1]s{%[3]s}, "rack", "$1", "instance", "(.+)")`,
		metric, with(`rack!=""`), with(`rack=""`))
}

// accelerators is a regular expression of all resources that count accelerators, parts of GPUs
// too.
func accelerators() string {
	patterns := []string{"nvidia[.]com/mig-.+"}
	for _, model := range catalog.Models() {
		patterns = append(patterns, strings.ReplaceAll(model.Resource, ".", "[.]"))
	}
	slices.Sort(patterns)
	return strings.Join(slices.Compact(patterns), "|")
}
