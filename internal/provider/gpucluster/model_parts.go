// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

type pluginsModel struct {
	NVIDIA *nvidiaModel   `tfsdk:"nvidia"`
	AMD    *argumentModel `tfsdk:"amd"`
	Ascend *argumentModel `tfsdk:"ascend"`
}

type nvidiaModel struct {
	release.Argument
	Operator types.Bool `tfsdk:"operator"`
	Driver   types.Bool `tfsdk:"driver"`
}

type argumentModel struct{ release.Argument }

// or is the argument, empty where it is left out.
func (a *argumentModel) or() release.Argument {
	if a == nil {
		return release.Argument{}
	}
	return a.Argument
}

type schedulerModel struct {
	release.Argument
	Shares   types.String `tfsdk:"shares"`
	Binpack  types.Bool   `tfsdk:"binpack"`
	Preempt  types.Bool   `tfsdk:"preempt"`
	Reclaim  types.Bool   `tfsdk:"reclaim"`
	Topology types.Bool   `tfsdk:"topology"`
}

func (s schedulerModel) spec() spec.Scheduler {
	return spec.Scheduler{
		Shares: s.Shares.ValueString(), Binpack: s.Binpack.ValueBool(), Preempt: s.Preempt.ValueBool(),
		Reclaim: s.Reclaim.ValueBool(), Topology: s.Topology.ValueBool(),
	}
}

type fabricModel struct {
	Namespace  types.String                 `tfsdk:"namespace"`
	Namespaces []string                     `tfsdk:"namespaces"`
	NCCL       map[string]map[string]string `tfsdk:"nccl"`
	Image      types.String                 `tfsdk:"image"`
}

func (f fabricModel) spec() spec.Fabric {
	return spec.Fabric{Namespaces: f.Namespaces, NCCL: f.NCCL, Image: f.Image.ValueString()}
}

// decode reads an optional argument; given: it is there.
func decode(ctx context.Context, object types.Object, to any) (given bool, err error) {
	if object.IsNull() || object.IsUnknown() {
		return false, nil
	}
	if diags := object.As(ctx, to, basetypes.ObjectAsOptions{}); diags.HasError() {
		return false, errors.New(diags[0].Detail())
	}
	return true, nil
}

func (m *Model) plugins(ctx context.Context) (p pluginsModel, given bool, err error) {
	given, err = decode(ctx, m.DevicePlugins, &p)
	return p, given, err
}

func (m *Model) scheduler(ctx context.Context) (s schedulerModel, given bool, err error) {
	given, err = decode(ctx, m.Scheduler, &s)
	return s, given, err
}

func (m *Model) fabric(ctx context.Context) (f fabricModel, given bool, err error) {
	given, err = decode(ctx, m.Fabric, &f)
	return f, given, err
}
