// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

type sharedModel struct {
	Ceph *cephModel `tfsdk:"ceph"`
	CSI  *csiModel  `tfsdk:"csi"`
}

type cephModel struct {
	Operator      *operatorModel  `tfsdk:"operator"`
	Cluster       *argumentModel  `tfsdk:"cluster"`
	Nodes         []string        `tfsdk:"nodes"`
	DeviceFilter  types.String    `tfsdk:"device_filter"`
	FailureDomain types.String    `tfsdk:"failure_domain"`
	Block         *poolClassModel `tfsdk:"block"`
	Filesystem    *poolClassModel `tfsdk:"filesystem"`
	ObjectStore   *storeModel     `tfsdk:"object_store"`
	External      *externalModel  `tfsdk:"external"`
}

type argumentModel struct{ release.Argument }

type operatorModel struct {
	release.Argument
	Install types.Bool `tfsdk:"install"`
}

type redundancyModel struct {
	Replicas types.Int64  `tfsdk:"replicas"`
	Erasure  *chunksModel `tfsdk:"erasure_coding"`
}

type chunksModel struct {
	Data   types.Int64 `tfsdk:"data"`
	Coding types.Int64 `tfsdk:"coding"`
}

type poolClassModel struct {
	redundancyModel
	classModel
}

type storeModel struct {
	redundancyModel
	Gateways types.Int64 `tfsdk:"gateways"`
}

type externalModel struct {
	BlockPool  types.String `tfsdk:"block_pool"`
	Filesystem types.String `tfsdk:"filesystem"`
	DataPool   types.String `tfsdk:"data_pool"`
}

type csiModel struct {
	Namespace   types.String             `tfsdk:"namespace"`
	Chart       types.Object             `tfsdk:"chart"`
	Values      types.Dynamic            `tfsdk:"values"`
	Provisioner types.String             `tfsdk:"provisioner"`
	Classes     map[string]csiClassModel `tfsdk:"classes"`
}

type csiClassModel struct {
	classModel
	Parameters map[string]string `tfsdk:"parameters"`
	Binding    types.String      `tfsdk:"binding_mode"`
	Expand     types.Bool        `tfsdk:"allow_expansion"`
}

func (m *Model) shared(ctx context.Context) (s sharedModel, given bool, err error) {
	given, err = decode(ctx, m.SharedTier, &s)
	return s, given, err
}

func (r redundancyModel) spec() spec.Redundancy {
	if r.Erasure != nil {
		return spec.Redundancy{Data: int(r.Erasure.Data.ValueInt64()), Coding: int(r.Erasure.Coding.ValueInt64())}
	}
	return spec.Redundancy{Replicas: int(cmp.Or(r.Replicas.ValueInt64(), spec.StandardReplicas))}
}

func (c *cephModel) operator() operatorModel {
	if c.Operator == nil {
		return operatorModel{Install: types.BoolValue(true)}
	}
	return *c.Operator
}

func (c *cephModel) cluster() release.Argument {
	if c.Cluster == nil {
		return release.Argument{}
	}
	return c.Cluster.Argument
}

// spec is what Ceph has to be, for a tier of this name.
func (c *cephModel) spec(tier string) spec.Ceph {
	ceph := spec.Ceph{
		Name: tier, Namespace: usual(c.cluster().Namespace, "rook-ceph-cluster"), OperatorNamespace: usual(c.operator().Namespace, "rook-ceph"),
		Nodes: c.Nodes, DeviceFilter: c.DeviceFilter.ValueString(), FailureDomain: cmp.Or(c.FailureDomain.ValueString(), "host"),
	}
	if c.Block != nil {
		ceph.Block = new(c.Block.spec())
	}
	if c.Filesystem != nil {
		ceph.Filesystem = new(c.Filesystem.spec())
	}
	if c.ObjectStore != nil {
		ceph.Store = new(c.ObjectStore.spec())
		ceph.Gateways = int(cmp.Or(c.ObjectStore.Gateways.ValueInt64(), 1))
	}
	if c.External != nil {
		ceph.External = &spec.ExternalCeph{
			BlockPool: c.External.BlockPool.ValueString(), Filesystem: c.External.Filesystem.ValueString(), DataPool: c.External.DataPool.ValueString(),
		}
	}
	return ceph
}

// usual is a namespace, or the usual one of a chart of the catalogue.
func usual(given types.String, chart string) string {
	entry, _ := catalog.ChartNamed(chart)
	return cmp.Or(given.ValueString(), entry.Namespace)
}

// classes are those of a shared tier by purpose.
func (s sharedModel) classes(tier string) map[string]spec.StorageClass {
	all := map[string]spec.StorageClass{}
	if s.Ceph != nil {
		all = s.Ceph.spec(tier).Classes()
		for purpose, changes := range map[string]*poolClassModel{spec.CephBlock: s.Ceph.Block, spec.CephFilesystem: s.Ceph.Filesystem} {
			if changes != nil {
				all[purpose] = changes.over(all[purpose])
			}
		}
	}
	if s.CSI != nil {
		for purpose, class := range s.CSI.Classes {
			all[purpose] = class.over(spec.StorageClass{
				Name: tier + "-" + purpose, Provisioner: s.CSI.Provisioner.ValueString(), Parameters: class.Parameters,
				Binding: cmp.Or(class.Binding.ValueString(), spec.BindingModes[0]), Expand: class.Expand.ValueBool(),
			})
		}
	}
	return all
}
