// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/nodepool"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
)

// open marks the outputs as only known after the apply.
func open(m *Model) {
	m.Connection = types.ObjectUnknown(connect.AttrTypes())
	m.Nodes = types.MapUnknown(types.ObjectType{AttrTypes: nodeTypes})
	m.Pending = types.ListUnknown(types.StringType)
	m.Accelerators, m.Admitted = types.MapUnknown(types.Int64Type), types.MapUnknown(types.Int64Type)
	m.NCCL = types.MapUnknown(types.StringType)
}

// fill brings the outputs about nodes up to date.
func (w whole) fill(ctx context.Context, m *Model) error {
	record, err := readNodesRecord(w.Records.Of(w.nodes.Name()).Record)
	if err != nil {
		return err
	}
	f, err := w.nodes.look(ctx, record)
	if err != nil {
		return err
	}
	all, offers, admitted := map[string]attr.Value{}, map[string]attr.Value{}, map[string]attr.Value{}
	pending := []string{}
	for pool, members := range f.Pools {
		var ready, open int64
		for _, node := range members {
			count := offered(node)
			if node.Ready && !node.Cordoned {
				ready += count
			}
			if node.Open() {
				open += count
			}
			all[node.Name] = types.ObjectValueMust(nodeTypes, map[string]attr.Value{
				"pool": types.StringValue(pool), "ready": types.BoolValue(node.Ready && !node.Cordoned),
				"accelerators": types.Int64Value(count), "validation": types.StringValue(node.Validation),
			})
			if node.Labels[nodepool.LabelPool] != pool {
				pending = append(pending, node.Name)
			}
		}
		offers[pool], admitted[pool] = types.Int64Value(ready), types.Int64Value(open)
	}
	slices.Sort(pending)
	m.Nodes = types.MapValueMust(types.ObjectType{AttrTypes: nodeTypes}, all)
	m.Pending = release.Texts(pending)
	m.Accelerators, m.Admitted = types.MapValueMust(types.Int64Type, offers), types.MapValueMust(types.Int64Type, admitted)
	return nil
}

// keep plans the outputs about nodes as they are where the pools stay: a plan of a repair need not
// show thousands of nodes as unknown. What is different after the apply the next refresh tells.
func (m *Model) keep(prior *Model) {
	if prior == nil || prior.Nodes.IsNull() || !prior.Pools.Equal(m.Pools) {
		return
	}
	m.Nodes, m.Accelerators, m.Admitted, m.Pending = prior.Nodes, prior.Accelerators, prior.Admitted, release.Texts(nil)
}

// promised puts back what the plan has said of the nodes, which an apply must not contradict.
func (m *Model) promised(planned Model) {
	if !planned.Nodes.IsUnknown() {
		m.Nodes, m.Accelerators, m.Admitted, m.Pending = planned.Nodes, planned.Accelerators, planned.Admitted, planned.Pending
	}
}

// empty stands for outputs that could not be read.
func (m *Model) empty() {
	m.Nodes, m.Pending = types.MapValueMust(types.ObjectType{AttrTypes: nodeTypes}, map[string]attr.Value{}), release.Texts(nil)
	m.Accelerators, m.Admitted = types.MapValueMust(types.Int64Type, map[string]attr.Value{}), types.MapValueMust(types.Int64Type, map[string]attr.Value{})
}

func offered(node nodepool.Node) (sum int64) {
	for _, count := range node.Accelerators {
		sum += count
	}
	return sum
}

// nccl are the settings of NCCL by pool.
func (w whole) nccl(ctx context.Context, m *Model) types.Map {
	given, _, _ := m.fabric(ctx) // decoded before, when the parts were laid out
	values := map[string]attr.Value{}
	for pool, text := range chartvalues.NCCL(w.nodes.pools, given.NCCL) {
		values[pool] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, values)
}

func (w whole) status() string {
	text := fmt.Sprintf("%d pools", len(w.nodes.pools))
	for _, part := range w.Parts[1:] {
		text += ", " + part.Name()
	}
	return text
}
