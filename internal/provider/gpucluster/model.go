// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Model is the resource as Terraform holds it.
type Model struct {
	entity.HeavyCommon

	Name          types.String `tfsdk:"name"`
	Pools         types.Map    `tfsdk:"pools"`
	DevicePlugins types.Object `tfsdk:"device_plugins"`
	Fabric        types.Object `tfsdk:"fabric"`
	Scheduler     types.Object `tfsdk:"scheduler"`
	Protection    types.Bool   `tfsdk:"deletion_protection"`

	Connection   types.Object `tfsdk:"cluster_connection"`
	Nodes        types.Map    `tfsdk:"nodes"`
	Pending      types.List   `tfsdk:"pending"`
	Accelerators types.Map    `tfsdk:"accelerators"`
	Admitted     types.Map    `tfsdk:"admitted_accelerators"`
	NCCL         types.Map    `tfsdk:"nccl"`
}

// Label names the cluster for people.
func (m *Model) Label() string { return m.Name.ValueString() }

// Identify fills the identity.
func (m *Model) Identify() any {
	return struct {
		Name types.String `tfsdk:"name"`
	}{m.Name}
}

type poolModel struct {
	Selector    map[string]string `tfsdk:"selector"`
	Accelerator types.String      `tfsdk:"accelerator"`
	Labels      map[string]string `tfsdk:"labels"`
	Taints      []taintModel      `tfsdk:"taints"`
	MIG         *migModel         `tfsdk:"mig"`
	TimeSlices  types.Int64       `tfsdk:"time_slices"`
	Fabric      types.String      `tfsdk:"fabric"`
	Tasks       []string          `tfsdk:"tasks"`
}

type taintModel struct {
	Key    types.String `tfsdk:"key"`
	Value  types.String `tfsdk:"value"`
	Effect types.String `tfsdk:"effect"`
}

type migModel struct {
	Profile  types.String `tfsdk:"profile"`
	Strategy types.String `tfsdk:"strategy"`
}

// pools turns the pools of a wholly known model into their specification.
func (m *Model) pools(ctx context.Context) (map[string]spec.Pool, diag.Diagnostics) {
	var given map[string]poolModel
	diags := m.Pools.ElementsAs(ctx, &given, false)
	pools := map[string]spec.Pool{}
	for name, from := range given {
		pool := spec.Pool{
			Name: name, Selector: from.Selector, Accelerator: from.Accelerator.ValueString(), Labels: from.Labels,
			TimeSlices: int(from.TimeSlices.ValueInt64()), Fabric: from.Fabric.ValueString(), Tasks: from.Tasks,
		}
		for _, taint := range from.Taints {
			pool.Taints = append(pool.Taints, spec.Taint{Key: taint.Key.ValueString(), Value: taint.Value.ValueString(), Effect: taint.Effect.ValueString()})
		}
		if from.MIG != nil {
			pool.MIG = &spec.MIG{Profile: from.MIG.Profile.ValueString(), Strategy: from.MIG.Strategy.ValueString()}
			if pool.MIG.Strategy == "" {
				pool.MIG.Strategy = spec.MIGStrategies[0]
			}
		}
		pools[name] = pool
	}
	return pools, diags
}

// models is the catalogue of accelerators as a specification sees it.
type models struct{}

func (models) Accelerator(name string) (spec.Accelerator, bool) {
	model, known := catalog.ModelNamed(name)
	return spec.Accelerator{Vendor: model.Vendor, Profiles: model.Profiles()}, known
}

func (models) Names() []string { return catalog.ModelNames() }
