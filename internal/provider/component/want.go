// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// parts are the nested arguments of a model, decoded.
type parts struct {
	chart  release.Chart
	delete deleteModel
	yaml   []string
	entry  *catalog.Chart
}

func partsOf(ctx context.Context, m *Model) (p parts, diags diag.Diagnostics) {
	p.chart, diags = release.DecodeChart(ctx, m.Chart)
	if !m.Delete.IsNull() && !m.Delete.IsUnknown() {
		diags.Append(m.Delete.As(ctx, &p.delete, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true})...)
	}
	if !m.ValuesYAML.IsNull() && !m.ValuesYAML.IsUnknown() && len(m.ValuesYAML.Elements()) > 0 {
		diags.Append(m.ValuesYAML.ElementsAs(ctx, &p.yaml, true)...)
	}
	if entry, ok := catalog.ChartNamed(m.Catalog.ValueString()); ok {
		p.entry = &entry
	}
	return p, diags
}

// source is where the chart comes from.
func (p parts) source() chartstore.Source { return p.chart.Source(p.entry) }

// known says whether all of a model that a plan needs is known.
func known(m *Model) bool {
	for _, unknown := range []bool{
		m.Name.IsUnknown(), m.Namespace.IsUnknown(), m.Catalog.IsUnknown(), m.CRDs.IsUnknown(), m.Hooks.IsUnknown(), m.Delete.IsUnknown(),
		!release.Wholly(m.Chart), !release.Wholly(m.Values), !release.Wholly(m.ValuesYAML), !release.Wholly(m.secret),
	} {
		if unknown {
			return false
		}
	}
	return true
}

// layers are the values in the order in which they are laid over each other: the catalogue's,
// those that send images through the mirror, the YAML texts, and the HCL.
func (p parts) layers(m *Model, hub *connect.Hub) ([]map[string]any, error) {
	layers := release.Layers(hub, p.entry)
	for i, text := range p.yaml {
		var layer map[string]any
		if err := yaml.Unmarshal([]byte(text), &layer); err != nil {
			return nil, fmt.Errorf("values_yaml[%d] is not YAML with a map at its top: %w", i, err)
		}
		layers = append(layers, layer)
	}
	for name, value := range map[string]any{"values": release.Plain(m.Values)} {
		layer, ok := value.(map[string]any)
		if !ok && value != nil {
			return nil, fmt.Errorf("%s is not an object", name)
		}
		layers = append(layers, layer)
	}
	return layers, nil
}

// want turns a wholly known model into the release that it stands for. A digest that an earlier
// apply recorded for the same version is what the chart must have.
func want(ctx context.Context, hub *connect.Hub, m *Model, recorded string) (w helm.Want, err error) {
	p, diags := partsOf(ctx, m)
	if diags.HasError() {
		return w, fmt.Errorf("%s", diags[0].Detail())
	}
	layers, err := p.layers(m, hub)
	if err != nil {
		return w, err
	}
	secret, _ := release.Plain(m.secret).(map[string]any)
	w = helm.Want{
		Name:   helm.Name{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()},
		Owner:  owner(hub, m),
		Chart:  p.source(),
		Values: helm.Merge(layers...), Secret: secret, Mask: redact.Of(secret),
		Options: helm.Options{
			CreateNamespace: m.CreateNamespace.ValueBool(), CRDs: helm.CRDPolicy(m.CRDs.ValueString()),
			SkipHooks: !m.Hooks.ValueBool(), NoWait: !m.Wait.ValueBool(), History: int(m.HistoryLimit.ValueInt64()),
			Rollback: m.OnFailure.ValueString() == "rollback",
			Lose:     helm.Lose{CRDs: p.delete.CRDs.ValueBool(), Volumes: p.delete.Volumes.ValueBool()},
		},
	}
	if !m.ValuesWORevision.IsNull() {
		w.Secrets = m.ValuesWORevision.String()
	}
	if w.Chart.Digest == "" && w.Chart.Path == "" {
		w.Chart.Digest = recorded
	}
	w.Chart.Credentials = release.Credentials(hub, w.Chart)
	return w, nil
}

// owner labels the objects of a release. Two releases of one name in two namespaces are two.
func owner(hub *connect.Hub, m *Model) objects.Owner {
	return objects.Owner{Owner: hub.Owner, Resource: "component", Name: spec.LabelText(m.Namespace.ValueString() + "." + m.Name.ValueString())}
}

func check(ctx context.Context, m *Model) (v spec.Violations, diags diag.Diagnostics) {
	p, diags := partsOf(ctx, m)
	if diags.HasError() || m.Catalog.IsUnknown() || !release.Wholly(m.Chart) {
		return nil, diags
	}
	listed := m.Catalog.ValueString()
	switch {
	case listed == "" && m.Chart.IsNull():
		v.Add(spec.Path{"chart"}, "Set catalog to the name of a chart that Trainyard knows, or chart to where the chart comes from", "no chart is given")
		return v, diags
	case listed != "" && p.entry == nil:
		v.Add(spec.Path{"catalog"}, "Choose one of "+strings.Join(catalogNames(), ", ")+", or describe the chart in chart", "the catalogue has no chart %q", listed)
		return v, diags
	case listed != "" && !p.entry.Installable():
		v.Add(spec.Path{"catalog"}, "Describe a chart of your own in chart", "%s has no published chart: %s", listed, p.entry.Source.Unavailable)
		return v, diags
	case listed != "":
		for name, given := range map[string]string{
			"repository": p.chart.Repository.ValueString(), "registry": p.chart.Registry.ValueString(),
			"path": p.chart.Path.ValueString(), "name": p.chart.Name.ValueString(),
		} {
			if given != "" {
				v.Add(spec.Path{"chart", name}, "Leave it out, or leave catalog out", "the catalogue says where the chart comes from")
			}
		}
	}
	for _, violation := range p.source().Check() {
		violation.Path = append(spec.Path{"chart"}, violation.Path...)
		v = append(v, violation)
	}
	if _, err := p.layers(m, nil); err != nil && release.Wholly(m.Values) && release.Wholly(m.ValuesYAML) {
		v.Add(spec.Path{"values"}, "Write an object, or YAML with a map at its top", "%v", err)
	}
	return v, diags
}

func catalogNames() []string {
	var names []string
	for _, entry := range catalog.Charts() {
		names = append(names, entry.Name)
	}
	return names
}
