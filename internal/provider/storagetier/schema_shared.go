// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func sharedAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, PlanModifiers: stays(),
		MarkdownDescription: "Storage that all nodes share: exactly one of `ceph` and `csi`.",
		Attributes:          map[string]schema.Attribute{"ceph": cephAttribute(), "csi": csiAttribute()},
	}
}

// with are the attributes of a release and others beside them.
func with(more map[string]schema.Attribute) map[string]schema.Attribute {
	all := release.ArgumentAttributes()
	maps.Copy(all, more)
	return all
}

// redundancy are the attributes of every pool.
func redundancy(more map[string]schema.Attribute) map[string]schema.Attribute {
	positive := []validator.Int64{int64validator.AtLeast(1)}
	all := map[string]schema.Attribute{
		"replicas": schema.Int64Attribute{Optional: true, Validators: positive, MarkdownDescription: "Copies of everything. Default 3."},
		"erasure_coding": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "Chunks in place of copies, which take less room and more time. What Ceph keeps beside them (indexes, metadata) has 3 copies.",
			Attributes: map[string]schema.Attribute{
				"data":   schema.Int64Attribute{Required: true, Validators: positive, MarkdownDescription: "Chunks of data."},
				"coding": schema.Int64Attribute{Required: true, Validators: positive, MarkdownDescription: "Chunks that may be lost."},
			},
		},
	}
	maps.Copy(all, more)
	return all
}

func cephAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, PlanModifiers: stays(), MarkdownDescription: "Ceph, run by Rook: its operator, then its cluster, then the StorageClasses.",
		Attributes: map[string]schema.Attribute{
			"operator": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The operator.",
				Attributes: with(map[string]schema.Attribute{"install": flag(true, "Whether it is installed; `false` where the cluster has it already. Default `true`.")}),
			},
			"cluster": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "The chart of the Ceph cluster.", Attributes: with(nil)},
			"nodes":   schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Nodes that give disks. Left out, all do that have fitting ones."},
			"device_filter": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Regular expression of the devices that Ceph takes whole, such as `^nvme[1-8]n1`. Required unless `external` is given.",
			},
			"failure_domain": schema.StringAttribute{
				Optional: true, MarkdownDescription: "What may fail at a time: copies and chunks are spread over as many of `host` (the default), `rack`, `zone` or `osd`.",
				Validators: []validator.String{stringvalidator.OneOf("osd", "host", "rack", "zone")},
			},
			"block":      schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Block devices (RBD), each for one pod at a time; `{}` suffices.", Attributes: redundancy(classAttributes(nil))},
			"filesystem": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "A file system (CephFS) for many pods at a time; `{}` suffices.", Attributes: redundancy(classAttributes(nil))},
			"object_store": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "An S3 gateway (RGW) named NAME-store, for the `rook` of an object tier; `{}` suffices.",
				Attributes: redundancy(map[string]schema.Attribute{"gateways": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(1)}, MarkdownDescription: "Gateways that run. Default 1."}}),
			},
			"external": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "A Ceph cluster outside, whose monitors and keys Rook's import script has put into the namespace of `cluster`.",
				Attributes: map[string]schema.Attribute{
					"block_pool": schema.StringAttribute{Optional: true, MarkdownDescription: "Its pool for block devices."},
					"filesystem": schema.StringAttribute{Optional: true, MarkdownDescription: "Its file system."},
					"data_pool":  schema.StringAttribute{Optional: true, MarkdownDescription: "The data pool of that."},
				},
			},
		},
	}
}

func csiAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, PlanModifiers: stays(),
		MarkdownDescription: "Any other storage, by the chart and the parameters of its CSI driver: NFS, Lustre, WEKA, VAST and others. GlusterFS has no driver in Kubernetes any more: serve it over NFS.",
		Attributes: map[string]schema.Attribute{
			"namespace":   namespaceAttribute(),
			"chart":       release.ChartAttribute("Chart of the driver. Left out, the cluster has the driver already."),
			"values":      schema.DynamicAttribute{Optional: true, MarkdownDescription: "Values for the chart."},
			"provisioner": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the driver in StorageClasses, such as `nfs.csi.k8s.io`."},
			"classes": schema.MapNestedAttribute{
				Required: true, MarkdownDescription: "StorageClasses, by what they are for.",
				NestedObject: schema.NestedAttributeObject{Attributes: classAttributes(map[string]schema.Attribute{
					"parameters": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Parameters, as the driver reads them. They hold no secrets: drivers take the name of a Secret."},
					"binding_mode": schema.StringAttribute{
						Optional: true, Validators: []validator.String{stringvalidator.OneOf(spec.BindingModes...)},
						MarkdownDescription: "When a claim gets its volume: `Immediate`, the default, or `WaitForFirstConsumer`.",
					},
					"allow_expansion": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether claims may grow. Default `false`."},
				})},
			},
		},
	}
}
