// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

func quotaSchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What the namespace may hold in all: the ResourceQuota `trainyard-quota`. Where cpu or memory is bounded, Kubernetes refuses pods " +
			"that do not state it; `limits.container` gives them a default. A bound that somebody adds by hand is drift, too.",
		Attributes: map[string]schema.Attribute{
			"requests": amounts("Sum of what pods request: `cpu`, `memory`, `ephemeral-storage`, `hugepages-<size>` and any device by its name, such as " +
				"`nvidia.com/gpu`, `nvidia.com/mig-1g.10gb`, `amd.com/gpu` or `huawei.com/Ascend910`."),
			"limits": amounts("Sum of the limits of pods: `cpu`, `memory` and `ephemeral-storage`. Kubernetes bounds devices by `requests` only."),
			"objects": schema.MapAttribute{
				Optional: true, ElementType: types.Int64Type, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
				MarkdownDescription: "Number of objects: `pods`, `services`, `services.loadbalancers`, `services.nodeports`, `configmaps`, `secrets`, " +
					"`replicationcontrollers`, `resourcequotas`, and any other as `count/<resource>.<group>`, such as `count/jobs.batch`.",
			},
			"storage": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Claims for volumes.",
				Attributes: map[string]schema.Attribute{
					"total":  amount("Storage that all claims may ask for together."),
					"claims": count("Number of claims."),
					"classes": schema.MapNestedAttribute{
						Optional: true, MarkdownDescription: "The same by storage class.",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"total":  amount("Storage that the claims of this class may ask for together."),
							"claims": count("Number of claims of this class."),
						}},
					},
				},
			},
		},
	}
}

func limitsSchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Bounds and defaults for single containers, pods and claims: the LimitRange `trainyard-limits`.",
		Attributes: map[string]schema.Attribute{
			"container": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "For each container, by resource. For each resource `min` <= `default_request` <= `default` <= `max`.",
				Attributes: map[string]schema.Attribute{
					"default":                 amounts("Limit of a container that states none. Left out it is the `max`; for a device, which would be handed out to every container, it is the `min` or else 0."),
					"default_request":         amounts("Request of a container that states none. Left out it is the `default` or else the `min`."),
					"min":                     amounts("The least that a container may request."),
					"max":                     amounts("The most that a container may be limited to."),
					"max_limit_request_ratio": amounts("The most that limit divided by request may be, such as `2`."),
				},
			},
			"pod": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "For the sum over the containers of each pod, by resource.",
				Attributes: map[string]schema.Attribute{
					"min":                     amounts("The least that a pod may request."),
					"max":                     amounts("The most that a pod may be limited to."),
					"max_limit_request_ratio": amounts("The most that limit divided by request may be, such as `2`."),
				},
			},
			"claim": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "For each claim for a volume.",
				Attributes: map[string]schema.Attribute{
					"min": amount("The least storage that a claim may ask for."),
					"max": amount("The most storage that a claim may ask for."),
				},
			},
		},
	}
}

const sameMeaning = " Quantities as Kubernetes writes them, compared by meaning (`1Ti` is `1024Gi`)."

// amounts is a map of quantities by resource.
func amounts(text string) schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, ElementType: types.StringType, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
		PlanModifiers:       []planmodifier.Map{entity.SameQuantities()},
		MarkdownDescription: text + sameMeaning,
	}
}

// amount is one quantity.
func amount(text string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: notEmpty(), PlanModifiers: []planmodifier.String{sameQuantity{}},
		MarkdownDescription: text + " A quantity as Kubernetes writes it, such as `10Ti`, compared by meaning.",
	}
}

func count(text string) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: text}
}
