// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpucluster is the resource trainyard_gpu_cluster: the GPU nodes of a cluster.
package gpucluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/nodepool"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// New makes the resource.
func New() resource.Resource {
	return entity.NewHeavy[Model](entity.Heavy[Model]{
		Type: "gpu_cluster", Noun: "GPU cluster",
		Schema:   schemaOf,
		Identity: map[string]string{"name": "Name of the cluster."},
		Import:   func(id string) (map[string]string, error) { return map[string]string{"name": id}, nil },
		Check:    check,
		Open:     open,
		Observe:  observe,
		Preview:  preview,
		Apply:    apply,
		Remove:   remove,
	})
}

func open(m *Model) {
	m.Nodes = types.MapUnknown(types.ObjectType{AttrTypes: nodeTypes})
	m.Pending = types.ListUnknown(types.StringType)
	m.Accelerators = types.MapUnknown(types.Int64Type)
}

func check(ctx context.Context, m *Model) (spec.Violations, diag.Diagnostics) {
	if !known(m) {
		return nil, nil
	}
	pools, diags := m.pools(ctx)
	if diags.HasError() {
		return nil, diags
	}
	v := spec.ValidatePools(pools, models{})
	for i := range v {
		v[i].Path = append(spec.Path{"pools"}, v[i].Path...)
	}
	return v, diags
}

func known(m *Model) bool {
	raw, err := m.Pools.ToTerraformValue(context.Background()) // no context is used
	return err == nil && raw.IsFullyKnown() && !m.Name.IsUnknown()
}

// assemble lays out the parts of a cluster.
func assemble(ctx context.Context, s *entity.Session, m *Model) (a assembly.Assembly, n *nodes, records assembly.Records, err error) {
	pools, diags := m.pools(ctx)
	if diags.HasError() {
		return a, n, nil, errors.New(diags[0].Detail())
	}
	n = &nodes{cluster: s.Cluster, name: m.Name.ValueString(), pools: pools}
	a = assembly.Assembly{Parts: []assembly.Part{n}, Retired: func(string) assembly.Part { return nil }}
	if len(s.Record) > 0 {
		err = json.Unmarshal(s.Record, &records)
	}
	return a, n, records, err
}

func observe(ctx context.Context, s *entity.Session, m *Model) (gone bool, err error) {
	a, n, records, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	standing, now, err := a.Observe(ctx, records)
	if err != nil {
		return false, err
	}
	m.Drift = texts(standing.Drift)
	if standing.Unready != "" && m.Ready.ValueBool() {
		m.Ready, m.Status = types.BoolValue(false), types.StringValue(standing.Unready)
	}
	if s.Record, err = json.Marshal(now); err != nil {
		return false, err
	}
	return false, fill(ctx, n, records, m)
}

// fill brings the outputs up to date.
func fill(ctx context.Context, n *nodes, records assembly.Records, m *Model) error {
	raw, _ := records.Of(n.Name())
	record, err := readNodesRecord(raw)
	if err != nil {
		return err
	}
	f, err := n.look(ctx, record)
	if err != nil {
		return err
	}
	all, sums := map[string]attr.Value{}, map[string]attr.Value{}
	pending := []string{}
	for pool, members := range f.Pools {
		var sum int64
		for _, node := range members {
			count := offered(node)
			if node.Ready && !node.Cordoned {
				sum += count
			}
			all[node.Name] = types.ObjectValueMust(nodeTypes, map[string]attr.Value{
				"pool": types.StringValue(pool), "ready": types.BoolValue(node.Ready && !node.Cordoned), "accelerators": types.Int64Value(count),
			})
			if node.Labels[nodepool.LabelPool] != pool {
				pending = append(pending, node.Name)
			}
		}
		sums[pool] = types.Int64Value(sum)
	}
	slices.Sort(pending)
	m.Nodes = types.MapValueMust(types.ObjectType{AttrTypes: nodeTypes}, all)
	m.Pending = texts(pending)
	m.Accelerators = types.MapValueMust(types.Int64Type, sums)
	return nil
}

func offered(node nodepool.Node) (sum int64) {
	for _, count := range node.Accelerators {
		sum += count
	}
	return sum
}

// preview says what a change of the configuration and the repair of the drift that was found
// will do. The nodes themselves come and go while a plan waits, so they are not counted in it.
func preview(ctx context.Context, s *entity.Session, plan, prior *Model) (same bool, err error) {
	if !known(plan) {
		return false, nil
	}
	a, _, records, err := assemble(ctx, s, plan)
	if err != nil {
		return false, err
	}
	lines, err := a.Preview(ctx, records, found(prior))
	if err != nil {
		return false, err
	}
	before, after := wanted(ctx, prior), wanted(ctx, plan)
	plan.Changes = texts(append(nodepool.Between(before, after), lines...))
	return false, nil
}

// wanted is what a model gives to the nodes of each of its pools.
func wanted(ctx context.Context, m *Model) map[string]nodepool.Want {
	all := map[string]nodepool.Want{}
	if m == nil {
		return all
	}
	pools, _ := m.pools(ctx) // decoded before, or by an earlier run
	for name, pool := range pools {
		all[name] = nodepool.Wanted(m.Name.ValueString(), pool)
	}
	return all
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

func apply(ctx context.Context, s *entity.Session, m *Model) (touched bool, err error) {
	a, n, records, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	out, now, err := a.Apply(ctx, records)
	var errRecord error
	if s.Record, errRecord = json.Marshal(now); errRecord != nil {
		return out.Touched, errors.Join(err, errRecord)
	}
	if m.Changes.IsUnknown() {
		m.Changes = texts(out.Changed)
	}
	m.Status = types.StringValue(fmt.Sprintf("%d pools", len(n.pools)))
	return out.Touched, errors.Join(err, fill(ctx, n, now, m))
}

func remove(ctx context.Context, s *entity.Session, m *Model) ([]string, error) {
	a, _, records, err := assemble(ctx, s, m)
	if err != nil {
		return nil, err
	}
	kept, _, err := a.Remove(ctx, records)
	return kept, err
}

func texts(lines []string) types.List {
	values := make([]attr.Value, 0, len(lines))
	for _, line := range lines {
		values = append(values, types.StringValue(line))
	}
	return types.ListValueMust(types.StringType, values)
}
