// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Override is what a site changes of one alert; a zero value leaves its field as it is.
type Override struct {
	Disable   bool
	Threshold *float64 // in the alert's own unit
	For       string   // as Prometheus writes it: 1h30m, 0s
	Severity  string
	Labels    map[string]string // added to the alert, for routing
}

// Overrides are a site's changes, by the name of the alert.
type Overrides map[string]Override

var (
	// Four digits keep any sum of these within what Prometheus can count, 292 years.
	durations  = regexp.MustCompile(`^(\d{1,4}w)?(\d{1,4}d)?(\d{1,4}h)?(\d{1,4}m)?(\d{1,4}s)?$`)
	labelNames = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// Validate checks overrides. Paths begin with the name of the alert.
func Validate(overrides Overrides) (v spec.Violations) {
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		override, at := overrides[name], spec.Path{spec.Key(name)}
		alert, known := alertNamed(name)
		if !known {
			v.Add(at, "Use one of "+strings.Join(AlertNames(), ", "), "%q is not an alert that Trainyard knows", name)
			continue
		}
		override.checkThreshold(&v, at.At("threshold"), alert)
		if override.For != "" && !isDuration(override.For) {
			v.Add(at.At("for"), `Write it as Prometheus does, such as "1h30m" or "0s"`, "%q is not a duration", override.For)
		}
		if override.Severity != "" && !slices.Contains(Severities, override.Severity) {
			v.Add(at.At("severity"), "Use one of "+strings.Join(Severities, ", "), "%q is not a severity", override.Severity)
		}
		override.checkLabels(&v, at.At("labels"))
	}
	return v
}

func (o Override) checkThreshold(v *spec.Violations, at spec.Path, alert Alert) {
	if o.Threshold == nil {
		return
	}
	switch value := *o.Threshold; {
	case alert.Threshold == nil:
		v.Add(at, "Leave it out", "%s has no threshold", alert.Name)
	case !(value >= 0) || math.IsInf(value, 0): // NaN too
		v.Add(at, "Give a number of at least 0, in "+alert.Unit, "%v cannot be reached", value)
	case alert.Unit == "%" && value > 100:
		v.Add(at, "Give at most 100", "%v %% cannot be reached", value)
	}
}

func (o Override) checkLabels(v *spec.Violations, at spec.Path) {
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		here := at.At(spec.Key(name))
		switch {
		case !labelNames.MatchString(name) || strings.HasPrefix(name, "__"):
			v.Add(here, `Use letters, digits and "_"`, "%q is not the name of a label", name)
		case name == "alertname" || name == "severity" || name == labelManagedBy:
			v.Add(here, "Use another name", "the label %s is the alert's own", name)
		case tellsApart(name):
			v.Add(here, "Use another name", "the label %s tells alerts apart that fire at once", name)
		}
	}
}

// tellsApart says whether series that alerts fire on differ in a label. One value for all of
// them would make them the same alert, which Prometheus refuses to evaluate.
func tellsApart(label string) bool {
	if label == "queue" || label == "source" { // those that recording rules add
		return true
	}
	return slices.ContainsFunc(exporters(), func(e Exporter) bool {
		return slices.ContainsFunc(e.Metrics, func(m Metric) bool { return slices.Contains(m.Labels, label) })
	})
}

// isDuration says whether Prometheus takes a text as how long an expression must hold.
func isDuration(text string) bool {
	return text != "" && durations.MatchString(text)
}

func alertNamed(name string) (Alert, bool) {
	at := slices.IndexFunc(alerts(), func(a Alert) bool { return a.Name == name })
	if at < 0 {
		return Alert{}, false
	}
	return alerts()[at], true
}

// apply is the alert as the site wants it.
func (o Override) apply(alert Alert) Alert {
	if o.Threshold != nil {
		alert.Threshold = o.Threshold
	}
	if o.For != "" {
		alert.For = o.For
	}
	if o.Severity != "" {
		alert.Severity = o.Severity
	}
	alert.Labels = o.Labels
	return alert
}
