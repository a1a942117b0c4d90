// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

const description = "The GPU nodes of a cluster that exists: pools of nodes by label, each with its accelerator, its labels and its taints; " +
	"and what makes them one machine: device plugins, the fabric between the nodes, and the scheduler.\n\n" +
	"Labels and taints are exact: what somebody removes or changes is drift, and is put back in place; what others add is theirs. " +
	"A node that joins a pool later, as an autoscaler's do, waits in `pending` for the next apply."

func schemaOf(context.Context) schema.Schema {
	return schema.Schema{MarkdownDescription: description, Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true, MarkdownDescription: "Name of the cluster, on the label `trainyard.io/cluster` of its nodes. Changing it makes a new one.",
			Validators: []validator.String{entity.LabelName()}, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"pools": schema.MapNestedAttribute{
			Required: true, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
			MarkdownDescription: "Pools of nodes, by name. The name is on the label `trainyard.io/pool` of the nodes.",
			NestedObject:        schema.NestedAttributeObject{Attributes: poolAttributes()},
		},
		"device_plugins":      pluginsAttribute(),
		"fabric":              fabricAttribute(),
		"scheduler":           schedulerAttribute(),
		"deletion_protection": flag(true, "Refuse to destroy it: every job of the cluster would lose its scheduler and its accelerators. Default `true`."),
		"cluster_connection": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "Where the cluster is, for the argument `cluster` of what belongs into it. It holds no secrets.",
			Attributes: connect.OutputAttributes(),
		},
		"nodes": schema.MapNestedAttribute{
			Computed: true, MarkdownDescription: "The nodes of the pools, by name.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"pool":         schema.StringAttribute{Computed: true, MarkdownDescription: "Its pool."},
				"ready":        schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is ready and not cordoned."},
				"accelerators": schema.Int64Attribute{Computed: true, MarkdownDescription: "How many accelerators its device plugin offers."},
				"validation": schema.StringAttribute{
					Computed: true, MarkdownDescription: "How far validation is with it: `admitted`, `refused` or `waiting`; empty where nobody validates it.",
				},
			}},
		},
		"pending": schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Nodes that joined a pool since the last apply and have nothing of it yet.",
		},
		"accelerators": schema.MapAttribute{
			Computed: true, ElementType: types.Int64Type, MarkdownDescription: "How many accelerators the ready nodes of each pool offer.",
		},
		"admitted_accelerators": schema.MapAttribute{
			Computed: true, ElementType: types.Int64Type, MarkdownDescription: "How many of those are on nodes that validation does not keep back.",
		},
		"nccl": schema.MapAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Text of `nccl.conf` for each pool that has a fabric.",
		},
	}}
}

func poolAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"selector": schema.MapAttribute{
			Required: true, ElementType: types.StringType,
			MarkdownDescription: "Labels that pick the nodes: those that have all of these values, such as `{ \"eks.amazonaws.com/nodegroup\" = \"h100\" }`.",
		},
		"accelerator": schema.StringAttribute{
			Optional: true, MarkdownDescription: "Model of the accelerator, such as `h100`. Left out for nodes without one.",
		},
		"labels": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels for every node of the pool."},
		"taints": schema.ListNestedAttribute{
			Optional: true, MarkdownDescription: "Taints for every node of the pool.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key":    schema.StringAttribute{Required: true, MarkdownDescription: "Its key."},
				"value":  schema.StringAttribute{Optional: true, MarkdownDescription: "Its value."},
				"effect": schema.StringAttribute{Required: true, MarkdownDescription: "`NoSchedule`, `PreferNoSchedule` or `NoExecute`."},
			}},
		},
		"mig": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "Cuts every GPU of the pool into equal parts.",
			Attributes: map[string]schema.Attribute{
				"profile":  schema.StringAttribute{Required: true, MarkdownDescription: "Kind of part, such as `1g.10gb`."},
				"strategy": schema.StringAttribute{Optional: true, MarkdownDescription: "How parts are offered: as `nvidia.com/gpu` (`single`, the default), or under a resource of their own (`mixed`)."},
			},
		},
		"time_slices": schema.Int64Attribute{Optional: true, MarkdownDescription: "How many pods share one GPU in turns."},
		"fabric":      schema.StringAttribute{Optional: true, MarkdownDescription: "What links the nodes beside their network: `infiniband`, `roce` or `ethernet`."},
		"tasks": schema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "What the pool is for, of `training`, `inference`, `development` and `data`: labels `trainyard.io/task-training` and so on, for the affinity of pods.",
		},
	}
}

var nodeTypes = map[string]attr.Type{
	"pool": types.StringType, "ready": types.BoolType, "accelerators": types.Int64Type, "validation": types.StringType,
}
