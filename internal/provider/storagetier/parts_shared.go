// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"errors"
	"fmt"

	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// sharedParts: what provisions volumes, then the classes.
func sharedParts(ctx context.Context, w *whole) error {
	given, there, err := w.model.shared(ctx)
	if err != nil || !there {
		return err
	}
	parts, err := w.ceph(ctx, given.Ceph)
	if given.CSI != nil {
		parts, err = w.driver(ctx, given.CSI)
	}
	if err != nil {
		return err
	}
	var needs []string
	for _, part := range parts {
		needs = append(needs, part.Name())
	}
	w.Parts = append(append(w.Parts, parts...), w.classesPart(needs...))
	return nil
}

// ceph is the operator and the cluster that it runs.
func (b builder) ceph(ctx context.Context, given *cephModel) (parts []assembly.Part, err error) {
	if given == nil {
		return nil, nil
	}
	want := given.spec(b.model.Name.ValueString())
	part := release.Part{Resource: holder, Holder: b.model.Name.ValueString(), Lose: b.options().Lose}
	var needs []string
	if given.operator().Install.ValueBool() {
		part.Label, part.Catalog, part.Argument = partOperator, "rook-ceph", given.operator().Argument
		operator, err := part.For(ctx, b.hub, b.engine)
		if err != nil {
			return nil, spec.At(spec.Path{"shared", "ceph", "operator"}, err)
		}
		operator.At = spec.Path{"shared", "ceph", "operator"}
		operator.Ready = func(ctx context.Context) (string, error) { return unserved(ctx, b.engine.Cluster) }
		parts, needs = append(parts, operator), append(needs, partOperator)
	}
	part.Label, part.Catalog, part.Argument, part.After = partCeph, "rook-ceph-cluster", given.cluster(), needs
	part.Values = chartvalues.CephCluster(want, b.lose)
	cluster, err := part.For(ctx, b.hub, b.engine)
	if err != nil {
		return nil, spec.At(spec.Path{"shared", "ceph", "cluster"}, err)
	}
	cluster.At = spec.Path{"shared", "ceph", "cluster"}
	cluster.Ready = func(ctx context.Context) (string, error) { return cephUnready(ctx, b.engine.Cluster, want) }
	return append(parts, operated{Part: cluster, namespace: want.OperatorNamespace}), nil
}

// driver is the chart of a CSI driver; none where the cluster has it.
func (b builder) driver(ctx context.Context, given *csiModel) ([]assembly.Part, error) {
	chart, diags := release.DecodeChart(ctx, given.Chart)
	if diags.HasError() {
		return nil, errors.New(diags[0].Detail())
	}
	if given.Chart.IsNull() {
		return nil, nil
	}
	at := spec.Path{"shared", "csi"}
	values, isMap := release.Plain(given.Values).(map[string]any)
	if !isMap && release.Plain(given.Values) != nil {
		return nil, spec.At(at.At("values"), fmt.Errorf("the values of the driver are not an object"))
	}
	want := helm.Want{
		Name:  helm.Name{Namespace: given.Namespace.ValueString(), Name: b.release("csi")},
		Owner: b.owner(partDriver), Chart: chart.Source(nil), Values: helm.Merge(values), Options: b.options(),
	}
	want.Chart.Credentials = release.Credentials(b.hub, want.Chart)
	return []assembly.Part{helm.Part{Engine: b.engine, Label: partDriver, Want: want, At: at}}, nil
}
