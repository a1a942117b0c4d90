// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

const description = "A tier of storage for training: local disks of the nodes (`cache`), a file system or block devices that all nodes share (`shared`), " +
	"or buckets (`object`). Give exactly one of the three.\n\n" +
	"A StorageClass cannot change. Where its parameters do, a new class is made beside the old one, which stays for the volumes that it has: " +
	"make claims of the new class, copy what the old ones hold, and delete those. The new name is in `storage_classes`.\n\n" +
	"A tier with claimed volumes or with objects in its buckets is not destroyed, nor replaced, unless `delete` allows it. Finalizers are never taken off."

// longestName leaves room for what goes before and behind the names of its objects.
const longestName = 40

// defaultNamespace is where Trainyard's own parts are.
const defaultNamespace = "trainyard-system"

func schemaOf(context.Context) schema.Schema {
	return schema.Schema{MarkdownDescription: description, Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true, MarkdownDescription: "Name of the tier, with which the names of its objects begin. Changing it makes a new one.",
			Validators:    []validator.String{entity.LabelName(), stringvalidator.LengthAtMost(longestName)},
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"cache": cacheAttribute(), "shared": sharedAttribute(), "object": objectAttribute(),
		"read_bandwidth_gb_per_s": schema.Float64Attribute{
			Optional: true, Validators: []validator.Float64{float64validator.AtLeast(0)},
			MarkdownDescription: "How many GB/s (1e9 bytes) the tier reads for all its readers together, as its maker or a measurement says. A plan warns where it is less than the accelerators of `pools` want.",
		},
		"pools": schema.MapNestedAttribute{
			Optional: true, MarkdownDescription: "Pools of nodes that read from the tier, by name.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"accelerator":  schema.StringAttribute{Required: true, MarkdownDescription: "Model of their accelerators, such as `h100`."},
				"accelerators": schema.Int64Attribute{Required: true, MarkdownDescription: "How many accelerators the pool has in all."},
			}},
		},
		"delete": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "What a destroy may lose.",
			Attributes: map[string]schema.Attribute{
				"data": schema.BoolAttribute{Optional: true, MarkdownDescription: "The objects of its buckets and the volumes of its classes. It counts once it is applied."},
			},
		},
		"deletion_protection": flag(true, "Refuse to destroy it. Default `true`."),
		"storage_classes": schema.MapAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Names of its StorageClasses by purpose: `cache`; `block` and `filesystem` of Ceph; those that `csi` names.",
		},
		"endpoint": schema.StringAttribute{Computed: true, MarkdownDescription: "URL of the S3 server; empty for other tiers."},
		"buckets":  schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Names of its buckets by their key in `object`."},
	}}
}

func flag(standard bool, text string) schema.Attribute {
	return schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(standard), MarkdownDescription: text}
}

func text(standard, about string) schema.Attribute {
	return schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(standard), MarkdownDescription: about}
}

func namespaceAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(defaultNamespace), Validators: []validator.String{entity.LabelName()},
		MarkdownDescription: "Where it is installed. Default `" + defaultNamespace + "`.",
	}
}

// stays makes a tier anew where its kind goes: what one kind has made is no start for another.
func stays() []planmodifier.Object {
	return []planmodifier.Object{objectplanmodifier.RequiresReplaceIf(
		func(_ context.Context, req planmodifier.ObjectRequest, resp *objectplanmodifier.RequiresReplaceIfFuncResponse) {
			resp.RequiresReplace = !req.StateValue.IsNull() && req.PlanValue.IsNull()
		}, "", "Another kind of storage is a new tier.")}
}

// classAttributes are those of every class.
func classAttributes(more map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"class": schema.StringAttribute{Optional: true, Validators: []validator.String{entity.LabelName()}, MarkdownDescription: "Name of the StorageClass. Left out, it begins with the tier's."},
		"reclaim_policy": schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.OneOf(spec.ReclaimPolicies...)},
			MarkdownDescription: "What becomes of a volume whose claim goes: `Delete`, the default, or `Retain`.",
		},
		"default":       flag(false, "Whether claims that name no class get this one. A cluster has at most one such class. Default `false`."),
		"mount_options": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Options with which volumes are mounted."},
	}
	for name, attribute := range more {
		all[name] = attribute
	}
	return all
}

func cacheAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, PlanModifiers: stays(),
		MarkdownDescription: "Local disks of the nodes as volumes, by the static local-volume provisioner; `{}` suffices. Every mount, or link to a block device, in a folder of a node is a volume. " +
			"A claim is bound once its pod has a node.",
		Attributes: classAttributes(map[string]schema.Attribute{
			"namespace":     namespaceAttribute(),
			"image":         schema.StringAttribute{Optional: true, MarkdownDescription: "Image of the provisioner, for another version or a mirror."},
			"path":          text("/mnt/disks", "The folder of the nodes. Default `/mnt/disks`."),
			"fs_type":       text("ext4", "File system that links to block devices get. Default `ext4`."),
			"node_selector": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels of the nodes that have such disks. Left out, every node is looked at."},
		}),
	}
}
