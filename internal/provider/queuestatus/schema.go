// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package queuestatus

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

func schemaOf(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The Volcano queues as they stand: what each may hold, what its jobs hold now, and how many wait.",
		Attributes: map[string]schema.Attribute{
			"names": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(entity.LabelName())},
				MarkdownDescription: "The queues to read. One that does not exist is an error. Left out, all queues are read.",
			},
			"queues": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "The queues, by name.",
				NestedObject: schema.NestedAttributeObject{Attributes: queueAttributes()},
			},
		},
	}
}

func queueAttributes() map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	amounts := func(description string) schema.Attribute {
		return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"state":       text("`open`, `closed`, `closing` (closed, and jobs still run) or `unknown`; null until Volcano's controller has seen the queue."),
		"parent":      text("The queue above; null where there is none."),
		"weight":      number("Share against sibling queues."),
		"priority":    number("Order of the queue: a higher one is served first."),
		"reclaimable": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether other queues may take back what it holds beyond what it deserves."},
		"capability":  amounts("The most that it may hold, by resource."),
		"deserved":    amounts("What it may hold while other queues want to work too."),
		"guarantee":   amounts("What is kept for it even while it is idle."),
		"allocated":   amounts("What its jobs hold now, as Volcano's scheduler last wrote it."),
		"pending":     number("Jobs (pod groups) that wait to be let in."),
		"inqueue":     number("Jobs that are let in and wait for nodes."),
		"running":     number("Jobs that run."),
		"completed":   number("Jobs that have ended."),
		"unknown":     number("Jobs of which some pods run and some cannot."),
	}
}
