// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// labelManagedBy is on every alert of ours, so that a route can tell them from others.
const labelManagedBy = "managed_by"

// Options say what a site has and wants. Overrides must have passed Validate.
type Options struct {
	// Exporters are the names of those that are scraped.
	Exporters []string
	Overrides Overrides
	// ValidationTaint is the key of the taint that keeps nodes out until they are admitted; ""
	// is trainyard.io/validation.
	ValidationTaint string
}

// Group is a group of rules, which Prometheus evaluates one after the other.
type Group struct {
	Name  string `json:"name"`
	Rules []Rule `json:"rules"`
}

// Rule is a rule as Prometheus reads it: it records or it alerts.
type Rule struct {
	Record      string            `json:"record,omitempty"`
	Alert       string            `json:"alert,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Rules renders the rules that the exporters of a site allow, recording rules first. A rule that
// needs an exporter more is left out and named, with what it lacks; one that a site disables
// does not count as left out.
func Rules(o Options) (groups []Group, leftOut []string) {
	add := func(group string, rule Rule) {
		if last := len(groups) - 1; last < 0 || groups[last].Name != group {
			groups = append(groups, Group{Name: group})
		}
		last := &groups[len(groups)-1]
		last.Rules = append(last.Rules, rule)
	}
	for _, record := range records() {
		if lack := o.lacks(record.Needs, nil); lack != "" {
			leftOut = append(leftOut, record.Name+suffix(record.Labels)+": "+lack)
			continue
		}
		add(record.group+"-records", Rule{Record: record.Name, Expr: record.Expr, Labels: record.Labels})
	}
	for _, alert := range alerts() {
		override := o.Overrides[alert.Name]
		if override.Disable {
			continue
		}
		if lack := o.lacks(alert.Needs, alert.NeedsAny); lack != "" {
			leftOut = append(leftOut, alert.Name+": "+lack)
			continue
		}
		add(alert.group+"-alerts", o.rule(override.apply(alert)))
	}
	return groups, leftOut
}

func (o Options) rule(alert Alert) Rule {
	values := map[string]string{"For": alert.For, "Taint": o.ValidationTaint}
	if values["Taint"] == "" {
		values["Taint"] = "trainyard.io/validation"
	}
	if alert.Threshold != nil {
		values["Threshold"] = strconv.FormatFloat(*alert.Threshold, 'f', -1, 64)
	}
	rule := Rule{
		Alert: alert.Name, Expr: strings.TrimSpace(render(alert.Expr, values)), For: alert.For,
		Labels:      map[string]string{"severity": alert.Severity, labelManagedBy: "trainyard"},
		Annotations: map[string]string{"summary": render(alert.Summary, values), "description": alert.Action},
	}
	maps.Copy(rule.Labels, alert.Labels)
	return rule
}

// lacks says which exporters are not there of those that are needed; "" is none.
func (o Options) lacks(needs, needsAny []string) string {
	var missing []string
	for _, need := range needs {
		if !slices.Contains(o.Exporters, need) {
			missing = append(missing, need)
		}
	}
	if len(missing) > 0 {
		return "needs " + strings.Join(missing, " and ")
	}
	has := func(exporter string) bool { return slices.Contains(o.Exporters, exporter) }
	if len(needsAny) > 0 && !slices.ContainsFunc(needsAny, has) {
		return "needs one of " + strings.Join(needsAny, ", ")
	}
	return ""
}

func suffix(labels map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, "{%s=%q}", name, labels[name])
	}
	return b.String()
}

// Spec is the spec of a PrometheusRule object that holds the groups, made of what JSON knows.
func Spec(groups []Group) map[string]any {
	list := make([]any, 0, len(groups))
	for _, group := range groups {
		rules := make([]any, 0, len(group.Rules))
		for _, rule := range group.Rules {
			rules = append(rules, rule.object())
		}
		list = append(list, map[string]any{"name": group.Name, "rules": rules})
	}
	return map[string]any{"groups": list}
}

func (r Rule) object() map[string]any {
	object := map[string]any{"expr": r.Expr}
	for field, text := range map[string]string{"record": r.Record, "alert": r.Alert, "for": r.For} {
		if text != "" {
			object[field] = text
		}
	}
	for field, texts := range map[string]map[string]string{"labels": r.Labels, "annotations": r.Annotations} {
		if len(texts) == 0 {
			continue
		}
		values := map[string]any{}
		for name, text := range texts {
			values[name] = text
		}
		object[field] = values
	}
	return object
}

// File is a file of rules for a Prometheus that is not run by the operator.
func File(groups []Group) []byte {
	file, err := yaml.Marshal(map[string][]Group{"groups": groups})
	if err != nil {
		panic(fmt.Sprintf("rules of monitoring cannot be written: %v", err)) // texts only
	}
	return file
}
