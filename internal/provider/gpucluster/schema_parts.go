// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// defaultNamespace is where Trainyard's own parts of a cluster are.
const defaultNamespace = "trainyard-system"

func flag(standard bool, text string) schema.Attribute {
	return schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(standard), MarkdownDescription: text}
}

// with are the attributes of a release and others beside them.
func with(more map[string]schema.Attribute) map[string]schema.Attribute {
	all := release.ArgumentAttributes()
	maps.Copy(all, more)
	return all
}

func pluginsAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Installs the device plugins of the vendors that the pools name, with a configuration for each pool that cuts or shares its GPUs; " +
			"`{}` suffices. Left out, the cluster has its own. Accelerators of clouds (TPU, Trainium) and Gaudi are offered by plugins that those bring.",
		Attributes: map[string]schema.Attribute{
			"nvidia": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "NVIDIA's.",
				Attributes: with(map[string]schema.Attribute{
					"operator": schema.BoolAttribute{
						Optional: true, MarkdownDescription: "Install the GPU Operator, which brings driver, container toolkit, MIG manager, exporter and the plugin, in place of the plugin alone.",
					},
					"driver": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether the operator installs the driver. Default `true`; set it to `false` where the nodes' image has one."},
				}),
			},
			"amd":    schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "AMD's.", Attributes: with(nil)},
			"ascend": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Huawei Ascend's, by HAMi.", Attributes: with(nil)},
		},
	}
}

func schedulerAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Installs Volcano, configured for gangs and for queues that share the cluster; `{}` suffices. " +
			"The apply waits until its webhooks answer, so that queues can follow at once.",
		Attributes: with(map[string]schema.Attribute{
			"shares": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(spec.SchedulerShares[0]), Validators: []validator.String{stringvalidator.OneOf(spec.SchedulerShares...)},
				MarkdownDescription: "How queues share the cluster: by what each deserves (`capacity`, the default) or by weight (`proportion`).",
			},
			"binpack":  flag(true, "Fill nodes before empty ones are taken, so that whole nodes stay free for large jobs. Default `true`."),
			"preempt":  flag(true, "A job takes the place of another one of its queue with a lower priority. Default `true`."),
			"reclaim":  flag(true, "A queue takes back what it deserves and others use. Default `true`."),
			"topology": flag(false, "Keep a job within few hops of the network; needs HyperNodes that describe it. Default `false`."),
		}),
	}
}

func fabricAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Installs what the pools' fabrics need; `{}` suffices: for InfiniBand and RoCE the RDMA shared device plugin, which offers `rdma/infiniband` and `rdma/roce`, " +
			"and for each pool a ConfigMap `nccl-POOL` with a file `nccl.conf` that suits its fabric, which jobs mount as `/etc/nccl.conf`.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(defaultNamespace), Validators: []validator.String{entity.LabelName()},
				MarkdownDescription: "Where it is installed. Default `" + defaultNamespace + "`.",
			},
			"namespaces": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Namespaces, which have to exist, that get the ConfigMaps too: a pod mounts those of its own namespace only.",
			},
			"nccl": schema.MapAttribute{
				Optional: true, ElementType: types.MapType{ElemType: types.StringType},
				MarkdownDescription: "Settings of NCCL by pool, over those that suit the fabric, such as `{ h100 = { NCCL_IB_TC = \"106\" } }`. An empty text takes one out.",
			},
			"image": schema.StringAttribute{Optional: true, MarkdownDescription: "Image of the RDMA shared device plugin, for another version or a mirror."},
		},
	}
}
