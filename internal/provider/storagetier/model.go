// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"cmp"
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Model is the resource as Terraform holds it.
type Model struct {
	entity.HeavyCommon

	Name       types.String  `tfsdk:"name"`
	Cache      types.Object  `tfsdk:"cache"`
	SharedTier types.Object  `tfsdk:"shared"`
	Object     types.Object  `tfsdk:"object"`
	Bandwidth  types.Float64 `tfsdk:"read_bandwidth_gb_per_s"`
	Pools      types.Map     `tfsdk:"pools"`
	Delete     types.Object  `tfsdk:"delete"`
	Protection types.Bool    `tfsdk:"deletion_protection"`

	StorageClasses types.Map    `tfsdk:"storage_classes"`
	Endpoint       types.String `tfsdk:"endpoint"`
	Buckets        types.Map    `tfsdk:"buckets"`

	secret types.String
}

// Label names the tier for people.
func (m *Model) Label() string { return m.Name.ValueString() }

// Identify fills the identity.
func (m *Model) Identify() any {
	return struct {
		Name types.String `tfsdk:"name"`
	}{m.Name}
}

type poolModel struct {
	Accelerator  types.String `tfsdk:"accelerator"`
	Accelerators types.Int64  `tfsdk:"accelerators"`
}

type deleteModel struct {
	Data types.Bool `tfsdk:"data"`
}

// loses says whether a destroy may lose data.
func (m *Model) loses(ctx context.Context) bool {
	var d deleteModel
	given, err := decode(ctx, m.Delete, &d)
	return given && err == nil && d.Data.ValueBool()
}

// classModel is how a configuration changes one class.
type classModel struct {
	Class        types.String `tfsdk:"class"`
	Reclaim      types.String `tfsdk:"reclaim_policy"`
	Default      types.Bool   `tfsdk:"default"`
	MountOptions []string     `tfsdk:"mount_options"`
}

// over lays what the configuration says over a class.
func (c classModel) over(class spec.StorageClass) spec.StorageClass {
	class.Name = cmp.Or(c.Class.ValueString(), class.Name)
	class.Reclaim = cmp.Or(c.Reclaim.ValueString(), class.Reclaim, spec.ReclaimPolicies[0])
	class.Default, class.MountOptions = c.Default.ValueBool(), c.MountOptions
	return class
}

type cacheModel struct {
	classModel
	Namespace    types.String      `tfsdk:"namespace"`
	Image        types.String      `tfsdk:"image"`
	Path         types.String      `tfsdk:"path"`
	FSType       types.String      `tfsdk:"fs_type"`
	NodeSelector map[string]string `tfsdk:"node_selector"`
}

func (c cacheModel) spec() spec.Cache {
	return spec.Cache{Path: c.Path.ValueString(), FSType: c.FSType.ValueString(), NodeSelector: c.NodeSelector, Image: c.Image.ValueString()}
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

// claimed are the classes that the configuration gives a tier, by purpose.
func (m *Model) claimed(ctx context.Context) (map[string]spec.StorageClass, error) {
	all := map[string]spec.StorageClass{}
	var cache cacheModel
	if given, err := decode(ctx, m.Cache, &cache); err != nil || given {
		all[purposeCache] = cache.over(spec.LocalClass(m.Name.ValueString()))
		return all, err
	}
	shared, given, err := m.shared(ctx)
	if err != nil || !given {
		return all, err
	}
	return shared.classes(m.Name.ValueString()), nil
}
