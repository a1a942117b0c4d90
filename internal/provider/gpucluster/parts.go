// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/charts"
	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// The parts of a cluster beside its nodes. Those of device plugins have the names of their
// charts in the catalogue.
const (
	partNVIDIA    = "nvidia-device-plugin"
	partOperator  = "gpu-operator"
	partAMD       = "amd-device-plugin"
	partAscend    = "ascend-device-plugin"
	partFabric    = "fabric"
	partScheduler = "volcano"
)

// builder makes the parts of one cluster.
type builder struct {
	hub    *connect.Hub
	engine helm.Engine
	model  *Model
	pools  map[string]spec.Pool
}

// whole is a cluster's parts, and what the outputs are read from.
type whole struct {
	release.Assembled
	nodes *nodes
}

// assemble lays out the parts of a cluster: its nodes, what offers their accelerators and links,
// and the scheduler. None needs another one to be made.
func assemble(ctx context.Context, s *entity.Session, m *Model) (w whole, err error) {
	pools, diags := m.pools(ctx)
	if diags.HasError() {
		return w, errors.New(diags[0].Detail())
	}
	w.nodes = &nodes{cluster: s.Cluster, name: m.Name.ValueString(), pools: pools}
	b := builder{hub: s.Hub, engine: helm.Engine{Cluster: s.Cluster, Charts: s.Hub.Charts}, model: m, pools: pools}
	w.Parts = []assembly.Part{w.nodes}
	for _, add := range []func(context.Context) ([]assembly.Part, error){b.plugins, b.fabric, b.scheduler} {
		parts, err := add(ctx)
		if err != nil {
			return w, err
		}
		w.Parts = append(w.Parts, parts...)
	}
	w.Retired = b.retired
	return w, w.Load(s)
}

// retired is a part of an earlier configuration, which is only removed.
func (b builder) retired(name string) assembly.Part {
	if !slices.Contains([]string{partNVIDIA, partOperator, partAMD, partAscend, partFabric, partScheduler}, name) {
		return nil
	}
	return helm.Part{Engine: b.engine, Label: name, Want: helm.Want{Owner: release.Owner(b.hub, holder, b.model.Name.ValueString(), name)}}
}

// of is a chart of the catalogue as a part.
func (b builder) of(ctx context.Context, name string, argument release.Argument, values map[string]any, at spec.Path) (helm.Part, error) {
	part, err := release.Part{
		Label: name, Catalog: name, Resource: holder, Holder: b.model.Name.ValueString(), Argument: argument, Values: values,
	}.For(ctx, b.hub, b.engine)
	part.At = at
	return part, spec.At(at, err)
}

// plugins are the device plugins of the vendors that the pools have.
func (b builder) plugins(ctx context.Context) (parts []assembly.Part, err error) {
	given, install, err := b.model.plugins(ctx)
	if err != nil || !install {
		return nil, err
	}
	for _, vendor := range vendors(b.pools) {
		var part helm.Part
		switch vendor {
		case "nvidia":
			part, err = b.nvidia(ctx, given.NVIDIA)
		case "amd":
			part, err = b.of(ctx, partAMD, given.AMD.or(), nil, spec.Path{"device_plugins", "amd"})
		case "huawei":
			part, err = b.of(ctx, partAscend, given.Ascend.or(), nil, spec.Path{"device_plugins", "ascend"})
		default: // clouds bring the plugins of their own accelerators
			continue
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (b builder) nvidia(ctx context.Context, given *nvidiaModel) (part helm.Part, err error) {
	if given == nil {
		given = &nvidiaModel{}
	}
	at, name := spec.Path{"device_plugins", "nvidia"}, partNVIDIA
	var values map[string]any
	if given.Operator.ValueBool() {
		name = partOperator
		values, err = chartvalues.GPUOperator(b.pools, given.Driver.IsNull() || given.Driver.ValueBool())
	} else {
		values, err = chartvalues.NVIDIADevicePlugin(b.pools)
	}
	if err != nil {
		return part, err
	}
	return b.of(ctx, name, given.Argument, values, at)
}

// vendors are those of the accelerators in pools, in order.
func vendors(pools map[string]spec.Pool) []string {
	found := map[string]bool{}
	for _, pool := range pools {
		if model, known := catalog.ModelNamed(pool.Accelerator); known {
			found[model.Vendor] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// resources are the extended resources of the accelerators in pools.
func resources(pools map[string]spec.Pool) (all []string) {
	for _, pool := range pools {
		if model, known := catalog.ModelNamed(pool.Accelerator); known {
			all = append(all, model.Resource)
		}
	}
	return all
}

func (b builder) fabric(ctx context.Context) ([]assembly.Part, error) {
	given, install, err := b.model.fabric(ctx)
	if err != nil || !install {
		return nil, err
	}
	values := chartvalues.Fabric(b.pools, given.spec())
	if values == nil {
		return nil, nil
	}
	return []assembly.Part{helm.Part{Engine: b.engine, Label: partFabric, Want: helm.Want{
		Name:  helm.Name{Namespace: given.Namespace.ValueString(), Name: "trainyard-" + partFabric},
		Owner: release.Owner(b.hub, holder, b.model.Name.ValueString(), partFabric), Own: charts.Fabric(), Values: values,
		Options: helm.Options{CreateNamespace: true, CRDs: helm.CRDsApply, History: 5},
	}}}, nil
}

func (b builder) scheduler(ctx context.Context) ([]assembly.Part, error) {
	given, install, err := b.model.scheduler(ctx)
	if err != nil || !install {
		return nil, err
	}
	values, err := chartvalues.Volcano(given.spec(), resources(b.pools))
	if err != nil {
		return nil, fmt.Errorf("write the scheduler's configuration: %w", err)
	}
	part, err := b.of(ctx, partScheduler, given.Argument, values, spec.Path{"scheduler"})
	part.Ready = func(ctx context.Context) (string, error) { return queuesAnswer(ctx, b.engine.Cluster) }
	return []assembly.Part{part}, err
}
