// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package trainingqueue

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Model is the resource as Terraform holds it.
type Model struct {
	entity.Common
	Parent        types.String        `tfsdk:"parent"`
	Weight        types.Int64         `tfsdk:"weight"`
	Capability    types.Map           `tfsdk:"capability"`
	Deserved      types.Map           `tfsdk:"deserved"`
	Guarantee     types.Map           `tfsdk:"guarantee"`
	Share         *shareModel         `tfsdk:"share"`
	Reclaimable   types.Bool          `tfsdk:"reclaimable"`
	Priority      types.Int64         `tfsdk:"priority"`
	State         types.String        `tfsdk:"state"`
	NodeGroups    *groupsModel        `tfsdk:"node_groups"`
	PriorityClass *priorityClassModel `tfsdk:"priority_class"`
	Labels        types.Map           `tfsdk:"labels"`
	Annotations   types.Map           `tfsdk:"annotations"`
}

type shareModel struct {
	Percent types.Int64 `tfsdk:"percent"`
	Of      types.Map   `tfsdk:"of"`
}

type groupsModel struct {
	Required      []string `tfsdk:"required"`
	Preferred     []string `tfsdk:"preferred"`
	AntiRequired  []string `tfsdk:"anti_required"`
	AntiPreferred []string `tfsdk:"anti_preferred"`
}

type priorityClassModel struct {
	Name             types.String `tfsdk:"name"`
	Value            types.Int64  `tfsdk:"value"`
	PreemptionPolicy types.String `tfsdk:"preemption_policy"`
	Description      types.String `tfsdk:"description"`
}

// specOf reads a known model. Defaults are filled in here as well, because a configuration
// is checked before Terraform has planned them.
func specOf(ctx context.Context, m *Model) (q spec.Queue, diags diag.Diagnostics) {
	q = spec.Queue{
		Name: m.Name.ValueString(), Parent: m.Parent.ValueString(), Weight: 1, Reclaimable: true, Closed: m.State.ValueString() == closed,
	}
	if !m.Weight.IsNull() {
		q.Weight = int32(m.Weight.ValueInt64())
	}
	if !m.Reclaimable.IsNull() {
		q.Reclaimable = m.Reclaimable.ValueBool()
	}
	if !m.Priority.IsNull() {
		q.Priority = new(int32(m.Priority.ValueInt64()))
	}
	for _, field := range []struct {
		to   any
		from types.Map
	}{
		{&q.Capability, m.Capability}, {&q.Deserved, m.Deserved}, {&q.Guarantee, m.Guarantee}, {&q.Labels, m.Labels}, {&q.Annotations, m.Annotations},
	} {
		diags.Append(field.from.ElementsAs(ctx, field.to, false)...)
	}
	if m.Share != nil {
		q.Share = &spec.Share{Percent: m.Share.Percent.ValueInt64()}
		diags.Append(m.Share.Of.ElementsAs(ctx, &q.Share.Of, false)...)
	}
	if m.NodeGroups != nil {
		q.Affinity = (*spec.NodeGroups)(m.NodeGroups)
	}
	if m.PriorityClass != nil {
		q.PriorityClass = m.PriorityClass.spec()
	}
	return q, diags
}

func (p *priorityClassModel) spec() *spec.PriorityClass {
	class := &spec.PriorityClass{
		Name: p.Name.ValueString(), Value: int32(p.Value.ValueInt64()),
		PreemptionPolicy: p.PreemptionPolicy.ValueString(), Description: p.Description.ValueString(),
	}
	if class.PreemptionPolicy == "" {
		class.PreemptionPolicy = "PreemptLowerPriority"
	}
	return class
}

// topQueue is the parent that Volcano fills in where none is given.
const topQueue = "root"

// fold writes what stands into the model. What means the same keeps the user's own words,
// and a share stays a share while the queue deserves what it amounts to.
func fold(ctx context.Context, m *Model, have []*objects.Object) (diags diag.Diagnostics) {
	q, ok := objects.QueueFrom(have)
	if !ok {
		return nil
	}
	before, diags := specOf(ctx, m)
	m.Name = types.StringValue(q.Name)
	if q.Parent != topQueue || !m.Parent.IsNull() {
		m.Parent = orNull(q.Parent)
	}
	m.Weight = types.Int64Value(int64(q.Weight))
	m.Reclaimable = types.BoolValue(q.Reclaimable)
	m.State = types.StringValue(open)
	if q.Closed {
		m.State = types.StringValue(closed)
	}
	if q.Priority != nil {
		m.Priority = types.Int64Value(int64(*q.Priority))
	} else if m.Priority.ValueInt64() != 0 { // Volcano leaves out a priority of 0
		m.Priority = types.Int64Null()
	}
	m.Capability = entity.KeepQuantities(m.Capability, q.Capability)
	m.Guarantee = entity.KeepQuantities(m.Guarantee, q.Guarantee)
	if m.Share == nil || !sameResources(before.Entitled(), q.Deserved) {
		m.Share, m.Deserved = nil, entity.KeepQuantities(m.Deserved, q.Deserved)
	}
	m.Labels = entity.KeepKeys(m.Labels, q.Labels, m.Drift.IsNull())
	m.Annotations = entity.KeepKeys(m.Annotations, q.Annotations, m.Drift.IsNull())
	m.NodeGroups = (*groupsModel)(q.Affinity)
	foldPriorityClass(m, q.PriorityClass)
	return diags
}

func foldPriorityClass(m *Model, class *spec.PriorityClass) {
	if class == nil {
		m.PriorityClass = nil
		return
	}
	m.PriorityClass = &priorityClassModel{
		Name: types.StringValue(class.Name), Value: types.Int64Value(int64(class.Value)),
		PreemptionPolicy: types.StringValue(class.PreemptionPolicy), Description: orNull(class.Description),
	}
}

func sameResources(a, b spec.Resources) bool {
	if len(a) != len(b) {
		return false
	}
	for name, quantity := range a {
		if other, ok := b[name]; !ok || !spec.EqualQuantities(quantity, other) {
			return false
		}
	}
	return true
}

func orNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}
