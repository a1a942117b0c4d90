// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func check(ctx context.Context, m *Model) (v spec.Violations, diags diag.Diagnostics) {
	if !known(m) {
		return nil, nil
	}
	a, err := m.arguments(ctx)
	if err != nil {
		diags.AddError("Unable to read the configuration", err.Error())
		return nil, diags
	}
	return a.check(), nil
}

// check finds what is wrong with a configuration. Paths begin at the resource.
func (a arguments) check() (v spec.Violations) {
	switch {
	case a.prometheus == nil && a.external == nil:
		v.Add(spec.Path{"prometheus"}, "Set prometheus = {} to install one, or external_prometheus where there is one", "nothing would evaluate the rules")
	case a.prometheus != nil && a.external != nil:
		v.Add(spec.Path{"external_prometheus"}, "Leave out one of them", "a Prometheus is installed here too")
	case a.external != nil && len(a.receivers) > 0:
		v.Add(spec.Path{"receivers"}, "Configure the Alertmanager of that Prometheus, or install one with prometheus = {}",
			"receivers belong to an Alertmanager, and that of an external Prometheus is not ours")
	}
	if a.prometheus != nil {
		v = append(v, under(spec.Path{"prometheus"}, a.prometheus.spec().Validate())...)
	}
	v = append(v, under(spec.Path{"receivers"}, spec.ValidateReceivers(a.receiverSpecs()))...)
	v = append(v, under(spec.Path{"alerts"}, monitoring.Validate(a.overrides()))...)
	for _, name := range a.exporters {
		if known := monitoring.ExporterNames(); !slices.Contains(known, name) {
			v.Add(spec.Path{"exporters"}, "Use of "+strings.Join(known, ", "), "%q is not an exporter that Trainyard knows", name)
		}
	}
	_, missing := a.secrets()
	return append(v, missing...)
}

func under(at spec.Path, v spec.Violations) spec.Violations {
	for i := range v {
		v[i].Path = slices.Concat(at, v[i].Path)
	}
	return v
}
