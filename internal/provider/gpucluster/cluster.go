// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpucluster is the resource trainyard_gpu_cluster: the GPU nodes of a cluster.
package gpucluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/nodepool"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// resourceType is the type after "trainyard_", holder what the labels of its objects say.
const (
	resourceType = "gpu_cluster"
	holder       = "gpu-cluster"
)

// lastLook is how long a run whose time has run out may take to see how the nodes are.
const lastLook = 10 * time.Second

// New makes the resource.
func New() resource.Resource {
	return entity.NewHeavy[Model](entity.Heavy[Model]{
		Type: resourceType, Noun: "GPU cluster",
		Schema:    schemaOf,
		Identity:  map[string]string{"name": "Name of the cluster."},
		Import:    func(id string) (map[string]string, error) { return map[string]string{"name": id}, nil },
		Check:     check,
		Open:      open,
		Observe:   observe,
		Preview:   preview,
		Apply:     apply,
		Remove:    remove,
		Protected: func(m *Model) bool { return m.Protection.ValueBool() },
	})
}

func check(ctx context.Context, m *Model) (spec.Violations, diag.Diagnostics) {
	if !known(m) {
		return nil, nil
	}
	pools, diags := m.pools(ctx)
	if diags.HasError() {
		return nil, diags
	}
	v := under(spec.Path{"pools"}, spec.ValidatePools(pools, models{}))
	if given, there, err := m.fabric(ctx); err == nil && there {
		v = append(v, under(spec.Path{"fabric"}, given.spec().Validate(pools))...)
	}
	plugins, there, err := m.plugins(ctx)
	if err != nil || !there {
		return v, diags
	}
	v = append(v, plugins.check(pools)...)
	if !plugins.NVIDIA.operator() {
		diags.Append(unpartitioned(pools)...)
	}
	return v, diags
}

func under(at spec.Path, v spec.Violations) spec.Violations {
	for i := range v {
		v[i].Path = slices.Concat(at, v[i].Path)
	}
	return v
}

// check refuses the plugin of a vendor that no pool has.
func (p pluginsModel) check(pools map[string]spec.Pool) (v spec.Violations) {
	have := vendors(pools)
	for _, one := range []struct {
		argument, vendor string
		given            bool
	}{{"nvidia", "nvidia", p.NVIDIA != nil}, {"amd", "amd", p.AMD != nil}, {"ascend", "huawei", p.Ascend != nil}} {
		if one.given && !slices.Contains(have, one.vendor) {
			v.Add(spec.Path{"device_plugins", one.argument}, "Leave it out, or name the accelerator of the pool that needs it", "no pool has an accelerator of this vendor")
		}
	}
	if p.NVIDIA != nil && !p.NVIDIA.Driver.IsNull() && !p.NVIDIA.operator() {
		v.Add(spec.Path{"device_plugins", "nvidia", "driver"}, "Set operator = true, or leave it out", "only the operator installs a driver")
	}
	return v
}

func (n *nvidiaModel) operator() bool { return n != nil && n.Operator.ValueBool() }

// unpartitioned warns where nobody cuts the GPUs that a pool wants cut.
func unpartitioned(pools map[string]spec.Pool) (diags diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		if pools[name].MIG != nil {
			diags.AddAttributeWarning(path.Root("pools").AtMapKey(name).AtName("mig"), "Nothing here cuts the GPUs",
				"The device plugin offers partitions, and the MIG manager of the GPU Operator makes them. Set device_plugins.nvidia.operator = true, "+
					"or make sure that the nodes come with their partitions, as some clouds' do.")
		}
	}
	return diags
}

func known(m *Model) bool {
	for _, value := range []attr.Value{m.Name, m.Pools, m.DevicePlugins, m.Fabric, m.Scheduler} {
		if !release.Wholly(value) {
			return false
		}
	}
	return true
}

func observe(ctx context.Context, s *entity.Session, m *Model) (gone bool, err error) {
	w, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	// A cluster whose parts are all gone still has its nodes.
	if _, err := w.Observe(ctx, s, &m.HeavyCommon); err != nil {
		return false, err
	}
	m.Connection = s.Hub.Location(m.Cluster)
	return false, w.fill(ctx, m)
}

// preview says what a change of the configuration and the repair of the drift that was found
// will do. The nodes themselves come and go while a plan waits, so they are not counted in it.
func preview(ctx context.Context, s *entity.Session, plan, prior *Model) (same bool, err error) {
	if !known(plan) {
		return false, nil
	}
	if s.Hub.Known(plan.Cluster) {
		plan.Connection = s.Hub.Location(plan.Cluster)
	}
	w, err := assemble(ctx, s, plan)
	if err != nil {
		return false, err
	}
	plan.NCCL = w.nccl(ctx, plan)
	plan.keep(prior)
	lines, err := w.Preview(ctx)
	if err != nil {
		return false, err
	}
	before, after := wanted(ctx, prior), wanted(ctx, plan)
	plan.Changes = release.Texts(append(nodepool.Between(before, after), lines...))
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

func apply(ctx context.Context, s *entity.Session, m *Model) (touched bool, err error) {
	w, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	touched, err = w.Apply(ctx, s, &m.HeavyCommon)
	m.Connection, m.NCCL = s.Hub.Location(m.Cluster), w.nccl(ctx, m)
	m.Status = types.StringValue(w.status())
	// The outputs are wanted also where time has run out.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	planned := *m
	if errFill := w.fill(last, m); errFill != nil {
		m.empty()
		err = errors.Join(err, errFill)
	}
	m.promised(planned)
	return touched, err
}

func remove(ctx context.Context, s *entity.Session, m *Model) ([]string, error) {
	w, err := assemble(ctx, s, m)
	if err != nil {
		return nil, err
	}
	return w.Remove(ctx)
}
