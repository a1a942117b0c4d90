// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package trainingqueue

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

// Values of the argument "state".
const (
	open   = "open"
	closed = "closed"
)

func schemaOf(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One Volcano queue, and the PriorityClass that goes with it.\n\n" +
			"A failed create leaves nothing behind; a failed update puts back what it changed. Deleting closes the queue, waits until its " +
			"jobs have ended, and deletes it; at the time limit the error names the jobs. The queues `default` and `root` are Volcano's own: " +
			"they are adopted, and given back instead of deleted.",
		Attributes: map[string]schema.Attribute{
			"parent": schema.StringAttribute{
				Optional: true, Validators: []validator.String{entity.LabelName()},
				MarkdownDescription: "The queue above, for hierarchical queues. Refer to it (`trainyard_training_queue.lab.name`), so that Terraform makes it first. Left out, the queue is at the top level.",
			},
			"weight": schema.Int64Attribute{
				Optional: true, Computed: true, Default: int64default.StaticInt64(1), Validators: []validator.Int64{int64validator.Between(1, 65535)},
				MarkdownDescription: "Share against sibling queues where the scheduler divides by proportion. Default 1.",
			},
			"capability": quantities("The most that the queue may hold, by resource. A resource that is left out is not limited."),
			"deserved":   quantities("What the queue may hold while other queues want to work too. What it holds beyond that may be reclaimed."),
			"guarantee":  quantities("What is kept for the queue even while it is idle. For each resource, `deserved` must be at least as much."),
			"share":      shareSchema(),
			"reclaimable": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether other queues may take back what this one holds beyond what it deserves. Default `true`.",
			},
			"priority": schema.Int64Attribute{
				Optional: true, Validators: []validator.Int64{int64validator.Between(-1<<31, 1<<31-1)},
				MarkdownDescription: "Order of the queue: a higher one is served first, and reclaimed from last.",
			},
			"state": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(open), Validators: []validator.String{stringvalidator.OneOf(open, closed)},
				MarkdownDescription: "`open`, or `closed`: a closed queue takes no new jobs, and those that it has run on. Default `open`.",
			},
			"node_groups":    groupsSchema(),
			"priority_class": priorityClassSchema(),
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "More labels on the queue.",
			},
			"annotations": schema.MapAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Annotations on the queue, such as those of Volcano's own plugins.",
			},
		},
	}
}

func quantities(text string) schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, ElementType: types.StringType, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
		PlanModifiers:       []planmodifier.Map{entity.SameQuantities()},
		MarkdownDescription: text + " Quantities as Kubernetes writes them, compared by meaning (`1Ti` is `1024Gi`).",
	}
}

func shareSchema() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Instead of `deserved`: a part of a whole, rounded down.",
		Attributes: map[string]schema.Attribute{
			"percent": schema.Int64Attribute{Required: true, Validators: []validator.Int64{int64validator.Between(1, 100)}, MarkdownDescription: "The part, 1 to 100."},
			"of": schema.MapAttribute{
				Required: true, ElementType: types.StringType, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
				PlanModifiers:       []planmodifier.Map{entity.SameQuantities()},
				MarkdownDescription: "The whole, by resource: what the cluster or pool has, for example `data.trainyard_gpu_nodes.all.allocatable`.",
			},
		},
	}
}

func groupsSchema() schema.Attribute {
	list := func(text string) schema.Attribute {
		return schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: text}
	}
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Groups of nodes (label `volcano.sh/nodegroup-name`) that the queue's pods go to or stay away from.",
		Attributes: map[string]schema.Attribute{
			"required": list("Only these."), "preferred": list("Rather these."),
			"anti_required": list("Never these."), "anti_preferred": list("Rather not these."),
		},
	}
}

func priorityClassSchema() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "A PriorityClass for the queue's jobs to name. Kubernetes cannot change its value in place: a new value deletes the class and makes it again; pods that run keep what they had.",
		Attributes: map[string]schema.Attribute{
			"name":  schema.StringAttribute{Required: true, MarkdownDescription: "Name of the class."},
			"value": schema.Int64Attribute{Required: true, Validators: []validator.Int64{int64validator.Between(-1<<31, 1_000_000_000)}, MarkdownDescription: "Priority; the higher is served first. At most 1000000000."},
			"preemption_policy": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("PreemptLowerPriority"),
				Validators:          []validator.String{stringvalidator.OneOf("PreemptLowerPriority", "Never")},
				MarkdownDescription: "`PreemptLowerPriority` (default) or `Never`.",
			},
			"description": schema.StringAttribute{Optional: true, MarkdownDescription: "When to use the class."},
		},
	}
}
