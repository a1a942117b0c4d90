// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpunodes

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// resourcePattern is the name of an extended resource, with a "*" at its end or not.
var resourcePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]*)?\*?$`)

func schemaOf(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The nodes with accelerators: what they offer, what pods hold of it, and what is free.\n\n" +
			"Accelerators are found by the names under which device plugins advertise them: `nvidia.com/gpu` and `nvidia.com/mig-*`, `amd.com/gpu`, " +
			"`huawei.com/Ascend*`, `google.com/tpu`, `habana.ai/gaudi`, `gpu.intel.com/xe` and others; `resources` adds more. " +
			"A pod holds what it requests from when it is bound to a node until it has ended. Devices given out by resource claims (DRA) are not counted.\n\n" +
			"The sums of a pool, of an accelerator and of all count the nodes that are ready and not cordoned. Taints do not matter: " +
			"most GPU nodes have one that GPU pods tolerate.",
		Attributes: map[string]schema.Attribute{
			"selector": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Labels that a node must have to be counted. Left out, every node with an accelerator is.",
			},
			"resources": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.List{listvalidator.ValueStringsAre(stringvalidator.RegexMatches(resourcePattern,
					`must be the name of an extended resource, such as "example.com/npu" or "example.com/npu-*"`))},
				MarkdownDescription: "More resources that count as accelerators. A `*` at the end stands for any rest.",
			},
			"nodes":          nodesSchema(),
			"by_pool":        groupsSchema("Sums by node pool: the label `trainyard.io/pool`, else that of the cloud. Nodes in no pool are under `\"\"`."),
			"by_accelerator": groupsSchema("Sums by product, as feature discovery labels it (`NVIDIA-H100-80GB-HBM3`), or by resource where no label does."),
			"allocatable":    amounts("What the nodes offer in all: `cpu`, `memory` and each accelerator. Fit for the `share.of` of a `trainyard_training_queue`."),
			"allocated":      amounts("What pods hold of it."),
			"free":           amounts("What is left on the nodes, summed up."),
		},
	}
}

func amounts(text string) schema.Attribute {
	return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: text}
}

func counts(text string) schema.Attribute {
	return schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: text}
}

func nodesSchema() schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	flag := func(description string) schema.Attribute {
		return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: "The nodes, in the order of their names, also those that are not ready or cordoned.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":          text("Name of the node."),
			"pool":          text("Its pool, null where no label names one."),
			"accelerator":   text("The product of its accelerators, or their resource where no label names the product."),
			"ready":         flag("Whether the node is ready."),
			"unschedulable": flag("Whether it is cordoned."),
			"allocatable":   counts("Accelerators that it offers, by resource. 0 where its device plugin offers none at the moment."),
			"allocated":     counts("Accelerators that pods hold."),
			"free":          counts("Accelerators that are left, never below 0."),
			"taints": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Its taints.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"key": text("Key of the taint."), "value": text("Its value, which may be empty."),
					"effect": text("`NoSchedule`, `PreferNoSchedule` or `NoExecute`."),
				}},
			},
		}},
	}
}

func groupsSchema(text string) schema.Attribute {
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	return schema.MapNestedAttribute{
		Computed: true, MarkdownDescription: text,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"nodes":       number("How many nodes there are."),
			"ready":       number("How many of them are ready."),
			"usable":      number("How many are ready and not cordoned. The sums are theirs."),
			"allocatable": counts("Accelerators that these offer, by resource."),
			"allocated":   counts("Accelerators that pods on these hold."),
			"free":        counts("Accelerators that are left on these."),
		}},
	}
}
