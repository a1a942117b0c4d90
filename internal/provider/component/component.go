// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/Masterminds/semver/v3"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func engineOf(s *entity.Session) helm.Engine {
	return helm.Engine{Cluster: s.Cluster, Charts: s.Hub.Charts}
}

func readRecord(s *entity.Session) (record helm.Record, err error) {
	if len(s.Record) == 0 {
		return record, nil
	}
	return record, json.Unmarshal(s.Record, &record)
}

func writeRecord(s *entity.Session, record helm.Record) (err error) {
	s.Record, err = json.Marshal(record) //nolint:gosec // its field Secret holds paths, no secrets
	return err
}

// observe brings the model up to date with what stands.
func observe(ctx context.Context, s *entity.Session, m *Model) (gone bool, err error) {
	record, err := readRecord(s)
	if err != nil {
		return false, err
	}
	name := helm.Name{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
	if m.Drift.IsNull() { // state of ours always has the list: this one is being imported
		return false, adopt(ctx, s, m, name)
	}
	standing, err := engineOf(s).Observe(ctx, name, owner(s.Hub, m), record)
	if err != nil {
		return false, err
	}
	if standing.State == helm.Absent {
		return true, nil
	}
	local := changedChart(ctx, s, m)
	outdated, err := inputsChanged(ctx, s, m, record)
	if err != nil {
		return false, err
	}
	if outdated {
		local = append(local, fmt.Sprintf("%s: what it is made of has changed: the catalogue or the mirror of its images", name))
	}
	m.Drift = texts(append(standing.Drift, local...))
	m.Revision = types.Int64Value(int64(standing.Revision))
	switch standing.State {
	case helm.InSync, helm.Drifted:
	default:
		if m.Ready.ValueBool() { // a failure of ours says more than that something failed
			m.Status = types.StringValue(fmt.Sprintf("%s: %s", standing.State, standing.Reason))
		}
		m.Ready = types.BoolValue(m.Ready.ValueBool() && standing.State == helm.OutOfSync)
	}
	return false, writeRecord(s, standing.Record)
}

// inputsChanged says whether what is not in the configuration of this resource, but goes into
// it, has changed: the catalogue of a new version of the provider, or the mirror of images.
func inputsChanged(ctx context.Context, s *entity.Session, m *Model, record helm.Record) (bool, error) {
	if record.Adopted || record.Inputs == "" || !m.Ready.ValueBool() {
		return false, nil
	}
	w, err := want(ctx, s.Hub, m, "")
	return err == nil && w.Inputs(m.ChartDigest.ValueString()) != record.Inputs, err
}

// changedChart says whether a chart in a directory, or an archive, is another than the installed one.
func changedChart(ctx context.Context, s *entity.Session, m *Model) []string {
	p, diags := partsOf(ctx, m)
	if diags.HasError() || p.chart.Path.ValueString() == "" || !m.Ready.ValueBool() {
		return nil
	}
	found, err := s.Hub.Charts.Find(ctx, p.source())
	if err != nil {
		// The chart is not here now. That changes nothing of what stands, and a plan that needs
		// it says so.
		tflog.Warn(ctx, "The chart cannot be read", map[string]any{"path": p.chart.Path.ValueString(), "cause": err.Error()})
		return nil
	}
	if found.Digest == m.ChartDigest.ValueString() {
		return nil
	}
	return []string{fmt.Sprintf("chart %s: changed since it was installed", p.chart.Path.ValueString())}
}

// adopt fills the model of a release that is being imported.
func adopt(ctx context.Context, s *entity.Session, m *Model, name helm.Name) error {
	found, err := engineOf(s).Adopt(ctx, name)
	if err != nil {
		return err
	}
	m.Chart = types.ObjectValueMust(release.ChartTypes, map[string]attr.Value{
		"repository": types.StringNull(), "registry": types.StringNull(), "path": types.StringNull(), "digest": types.StringNull(),
		"name": types.StringValue(found.ChartName), "version": types.StringValue(found.ChartVersion),
	})
	m.Values = types.DynamicNull()
	if len(found.Values) > 0 {
		m.Values = types.DynamicValue(release.HCL(ctx, found.Values))
	}
	m.CreateNamespace, m.CRDs, m.Hooks, m.Wait = types.BoolValue(false), types.StringValue(string(helm.CRDsApply)), types.BoolValue(true), types.BoolValue(true)
	m.HistoryLimit, m.OnFailure = types.Int64Value(5), types.StringValue("keep")
	m.Drift, m.Changes, m.Images = texts(nil), texts(nil), texts(found.Images)
	m.Ready, m.Status = types.BoolValue(found.Ready), types.StringValue(found.Reason)
	m.Revision = types.Int64Value(int64(found.Record.Revision))
	m.ChartVersion, m.AppVersion = types.StringValue(found.ChartVersion), types.StringValue(found.AppVersion)
	m.ChartDigest = types.StringValue("")
	return writeRecord(s, found.Record)
}

// preview completes a plan with what it changes.
func preview(ctx context.Context, s *entity.Session, plan, prior *Model) (same bool, err error) {
	if !known(plan) {
		return false, nil
	}
	record, err := readRecord(s)
	if err != nil {
		return false, err
	}
	w, err := want(ctx, s.Hub, plan, recordedDigest(ctx, plan, prior))
	if err != nil {
		return false, err
	}
	var p helm.Preview
	if s.Cluster == nil {
		p, err = engineOf(s).PreviewOffline(ctx, w)
	} else {
		p, err = engineOf(s).Preview(ctx, w, record, found(prior))
	}
	if err != nil {
		return false, blame(plan, err)
	}
	if s.Cluster != nil && !p.Same {
		if err := fitsCluster(ctx, s, plan); err != nil {
			return false, err
		}
	}
	if p.Same && prior != nil && !prior.ValuesWORevision.Equal(plan.ValuesWORevision) {
		p.Changes = []string{"apply values_wo"}
	}
	plan.Changes = texts(p.Changes)
	if p.State == helm.Drifted && prior != nil { // a repair makes no revision
		plan.Revision, plan.Images = prior.Revision, prior.Images
	}
	plan.ChartVersion, plan.AppVersion = types.StringValue(p.ChartVersion), types.StringValue(p.AppVersion)
	plan.ChartDigest = types.StringValue(p.Digest)
	return p.Same && record.Adopted, nil
}

// found is the drift that the last look found.
func found(prior *Model) (lines []string) {
	if prior == nil {
		return nil
	}
	for _, line := range prior.Drift.Elements() {
		if text, ok := line.(types.String); ok {
			lines = append(lines, text.ValueString())
		}
	}
	return lines
}

// fitsCluster refuses a chart of the catalogue that is not for the cluster's version.
func fitsCluster(ctx context.Context, s *entity.Session, m *Model) error {
	entry, listed := catalog.ChartNamed(m.Catalog.ValueString())
	if !listed || entry.Kubernetes == "" {
		return nil
	}
	api, err := s.Cluster.API(ctx)
	if err != nil {
		return err
	}
	want, err := semver.NewConstraint(entry.Kubernetes)
	if err != nil {
		return fmt.Errorf("read the Kubernetes range of %s: %w", entry.Name, err)
	}
	if have, err := semver.NewVersion(api.Version.GitVersion); err == nil && want.Check(have) {
		return nil
	}
	return spec.At(spec.Path{"catalog"}, fmt.Errorf("the catalogue's chart %s is for Kubernetes %s, and the cluster has %s. Set chart.version to one that fits it",
		entry.Name, entry.Kubernetes, api.Version.GitVersion))
}

// blame moves an error to the argument that is set: what the engine calls the chart may be the
// catalogue's, and values may come as YAML.
func blame(m *Model, err error) error {
	place := spec.PlaceOf(err)
	switch {
	case len(place) == 0: // also where there is no error
		return err
	case place[0] == "chart" && m.Chart.IsNull():
		place = spec.Path{"catalog"}
	case len(place) == 2 && place[0] == "chart" && m.Chart.Attributes()[fmt.Sprint(place[1])].IsNull():
		place = place[:1]
	case place[0] == "values" && m.Values.IsNull() && !m.ValuesYAML.IsNull():
		place = spec.Path{"values_yaml"}
	}
	return &spec.Located{Path: place, Err: err}
}

// recordedDigest is the digest that an earlier apply recorded, where the same version of the
// same chart is still wanted.
func recordedDigest(ctx context.Context, plan, prior *Model) string {
	if prior == nil {
		return ""
	}
	now, diagsNow := partsOf(ctx, plan)
	before, diagsBefore := partsOf(ctx, prior)
	if diagsNow.HasError() || diagsBefore.HasError() || now.source() != before.source() {
		return ""
	}
	return prior.ChartDigest.ValueString()
}

// apply brings about the plan and completes the model.
func apply(ctx context.Context, s *entity.Session, m *Model) (touched bool, err error) {
	record, err := readRecord(s)
	if err != nil {
		return false, err
	}
	recorded := ""
	if !m.ChartDigest.IsUnknown() {
		recorded = m.ChartDigest.ValueString()
	}
	w, err := want(ctx, s.Hub, m, recorded)
	if err != nil {
		return false, err
	}
	if secrets := w.Mask.Texts(); len(secrets) > 0 {
		ctx = tflog.MaskMessageStrings(tflog.MaskAllFieldValuesStrings(ctx, secrets...), secrets...)
	}
	out, err := engineOf(s).Converge(ctx, w, record)
	if err := errors.Join(writeRecord(s, out.Record)); err != nil {
		return out.Touched, err
	}
	fill(m, out)
	return out.Touched, blame(m, err)
}

// fill writes the outcome into what the plan left open.
func fill(m *Model, out helm.Outcome) {
	m.Status = types.StringValue(fmt.Sprintf("%s: %s", out.State, out.Reason))
	if m.Revision.IsUnknown() {
		m.Revision = types.Int64Value(int64(out.Revision))
	}
	if m.Images.IsUnknown() {
		m.Images = texts(out.Images)
	}
	for _, open := range []struct {
		at    *types.String
		value string
	}{{&m.ChartVersion, out.ChartVersion}, {&m.AppVersion, out.AppVersion}, {&m.ChartDigest, out.Digest}} {
		if open.at.IsUnknown() {
			*open.at = types.StringValue(open.value)
		}
	}
	if m.Changes.IsUnknown() {
		m.Changes = texts(out.Changed)
	}
}

func remove(ctx context.Context, s *entity.Session, m *Model) ([]string, error) {
	w, err := want(ctx, s.Hub, m, "")
	if err != nil {
		return nil, err
	}
	return engineOf(s).Remove(ctx, w)
}

func texts(lines []string) types.List {
	values := make([]attr.Value, 0, len(lines))
	for _, line := range lines {
		values = append(values, types.StringValue(line))
	}
	return types.ListValueMust(types.StringType, values)
}
