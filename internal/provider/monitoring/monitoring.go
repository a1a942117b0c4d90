// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package monitoring is the resource trainyard_monitoring: what watches a training platform.
package monitoring

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
)

// holder is what the labels of its objects say.
const holder = "monitoring"

// defaultNamespace is where it is, as the catalogue's charts are.
const defaultNamespace = "monitoring"

// New makes the resource.
func New() resource.Resource {
	return entity.NewHeavy[Model](entity.Heavy[Model]{
		Type: "monitoring", Noun: "monitoring",
		Schema:    schemaOf,
		Identity:  map[string]string{"name": "Name of the monitoring."},
		Import:    func(id string) (map[string]string, error) { return map[string]string{"name": id}, nil },
		Check:     check,
		Secrets:   readSecrets,
		Open:      open,
		Observe:   observe,
		Preview:   preview,
		Apply:     apply,
		Remove:    remove,
		Protected: func(m *Model) bool { return m.Protection.ValueBool() },
	})
}

func observe(ctx context.Context, s *entity.Session, m *Model) (gone bool, err error) {
	if m.Drift.IsNull() { // state of ours always has the list: this one is being imported
		m.Drift, m.Changes, m.ActiveAlerts, m.LeftOut = release.Texts(nil), release.Texts(nil), release.Texts(nil), release.Texts(nil)
		m.Ready, m.Status = types.BoolValue(false), types.StringValue("imported; the next apply takes over what stands")
		return false, nil
	}
	w, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	return w.Observe(ctx, s, &m.HeavyCommon)
}

func preview(ctx context.Context, s *entity.Session, plan, _ *Model) (same bool, err error) {
	if !known(plan) || plan.secrets.open {
		return false, nil
	}
	w, err := assemble(ctx, s, plan)
	if err != nil {
		return false, err
	}
	w.out.fill(plan)
	lines, err := w.Preview(ctx)
	if err != nil {
		return false, err
	}
	plan.Changes = release.Texts(lines)
	return false, nil
}

func apply(ctx context.Context, s *entity.Session, m *Model) (touched bool, err error) {
	if texts := m.secrets.mask().Texts(); len(texts) > 0 {
		ctx = tflog.MaskMessageStrings(tflog.MaskAllFieldValuesStrings(ctx, texts...), texts...)
	}
	w, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	touched, err = w.Apply(ctx, s, &m.HeavyCommon)
	w.out.fill(m)
	m.Status = types.StringValue(w.status())
	return touched, err
}

func remove(ctx context.Context, s *entity.Session, m *Model) ([]string, error) {
	w, err := assemble(ctx, s, m)
	if err != nil {
		return nil, err
	}
	return w.Remove(ctx)
}
