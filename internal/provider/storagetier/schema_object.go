// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Backends are the S3 servers of an object tier.
const (
	backendOutside   = "outside"
	backendMinIO     = "minio"
	backendSeaweedFS = "seaweedfs"
	backendCeph      = "ceph"
)

func objectAttribute() schema.Attribute {
	optional := func(text string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: text}
	}
	return schema.SingleNestedAttribute{
		Optional: true, PlanModifiers: stays(),
		MarkdownDescription: "Buckets of an S3 server, kept over the S3 API from where Terraform runs.",
		Attributes: map[string]schema.Attribute{
			"backend": schema.StringAttribute{
				Required: true, Validators: []validator.String{stringvalidator.OneOf(backendOutside, backendMinIO, backendSeaweedFS, backendCeph)},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "`outside`: a server that is there, such as Amazon S3. `seaweedfs`, `minio`: installed by their charts; MinIO's community edition is archived and its images must be your own. " +
					"`ceph`: the store of a Rook cluster.",
			},
			"endpoint":   optional("URL of the server, as Terraform reaches it. Left out for servers in the cluster, the address of their Service."),
			"region":     optional("Region that requests are signed for. Default `us-east-1`."),
			"path_style": schema.BoolAttribute{Optional: true, MarkdownDescription: "Put the bucket into the path (`true`) or the host's name (`false`) of URLs. Left out, as the server is known to want."},
			"access_key": optional("Access key. With it, the secret key comes from `secret_key_wo`, and a Secret `NAME-s3` in `namespace` holds both. Left out, an outside server's " +
				"come from the environment variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, and Ceph's from Rook."),
			"secret_key_wo": schema.StringAttribute{
				Optional: true, WriteOnly: true, MarkdownDescription: "Secret key. It is in no state and no plan. Needs Terraform 1.11 or OpenTofu 1.11.",
			},
			"secret_key_wo_revision": schema.Int64Attribute{Optional: true, MarkdownDescription: "Change it to have a changed `secret_key_wo` applied."},
			"namespace":              objectNamespace(),
			"server": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The server that `minio` or `seaweedfs` install, in `namespace`.",
				Attributes: serverAttributes(),
			},
			"rook": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The store of `ceph`.",
				Attributes: map[string]schema.Attribute{
					"namespace": text("rook-ceph", "Namespace of the Ceph cluster. Default `rook-ceph`."),
					"store":     schema.StringAttribute{Required: true, MarkdownDescription: "Name of the CephObjectStore, such as `NAME-store` of a shared tier."},
				},
			},
			"buckets": schema.MapNestedAttribute{
				Optional: true, MarkdownDescription: "Buckets, by a key that is their name unless they have another.",
				NestedObject: schema.NestedAttributeObject{Attributes: bucketAttributes()},
			},
		},
	}
}

// objectNamespace is where keys and server are. An installed server does not move with its data:
// elsewhere it is a new tier.
func objectNamespace() schema.Attribute {
	attribute := namespaceAttribute()
	attribute.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplaceIf(
		func(ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
			var backend types.String
			resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("object").AtName("backend"), &backend)...)
			resp.RequiresReplace = backend.ValueString() == backendMinIO || backend.ValueString() == backendSeaweedFS
		}, "", "A server that is installed does not move with its data.")}
	return attribute
}

func serverAttributes() map[string]schema.Attribute {
	all := with(map[string]schema.Attribute{
		"replicas":      schema.Int64Attribute{Optional: true, MarkdownDescription: "Servers that hold data. Default 4 for MinIO, which needs 1 or at least 4, and 1 for SeaweedFS."},
		"size":          text("100Gi", "Disk of each. Default `100Gi`."),
		"storage_class": schema.StringAttribute{Optional: true, MarkdownDescription: "StorageClass of the disks. Left out, the cluster's default."},
	})
	delete(all, "namespace") // that of its keys
	return all
}

func bucketAttributes() map[string]schema.Attribute {
	days := func(text string) schema.Attribute {
		return schema.Int64Attribute{Optional: true, MarkdownDescription: text}
	}
	texts := func(required bool, text string) schema.Attribute {
		return schema.ListAttribute{Required: required, Optional: !required, ElementType: types.StringType, MarkdownDescription: text}
	}
	return map[string]schema.Attribute{
		"name":       schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the bucket, where it is not the key."},
		"adopt":      schema.BoolAttribute{Optional: true, MarkdownDescription: "Take over a bucket that exists and is not this tier's."},
		"versioning": schema.StringAttribute{Optional: true, MarkdownDescription: "`enabled` or `suspended`. What is left out of a bucket is left as it is."},
		"object_lock": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "Keeps objects from being deleted or overwritten; needs versioning, and a bucket that is made with it.",
			Attributes: map[string]schema.Attribute{
				"mode": schema.StringAttribute{Optional: true, MarkdownDescription: "`governance`, which whoever has the right to may lift, or `compliance`, which nobody may."},
				"days": days("For how many days."),
			},
		},
		"lifecycle": schema.ListNestedAttribute{
			Optional: true, MarkdownDescription: "What becomes of objects as they age.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id":                           schema.StringAttribute{Required: true, MarkdownDescription: "Name of the rule."},
				"prefix":                       schema.StringAttribute{Optional: true, MarkdownDescription: "Beginning of the keys that it is for."},
				"expire_after_days":            days("Days after which an object goes."),
				"archive_after_days":           days("Days after which an object moves to `archive_class`."),
				"archive_class":                schema.StringAttribute{Optional: true, MarkdownDescription: "A storage class of the server, such as `GLACIER`; on MinIO a remote tier."},
				"expire_noncurrent_after_days": days("Days after which an older version goes."),
				"abort_uploads_after_days":     days("Days after which an upload that nobody completed goes."),
			}},
		},
		"quota": schema.StringAttribute{Optional: true, MarkdownDescription: "Most bytes that it may hold, such as `2Ti`. MinIO alone has quotas of buckets that Trainyard knows."},
		"cors": schema.ListNestedAttribute{
			Optional: true, MarkdownDescription: "Lets pages of other origins use the bucket.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"origins": texts(true, "Origins, such as `https://hub.example.com`."), "methods": texts(true, "Methods of HTTP."),
				"headers": texts(false, "Headers that requests may have."), "expose_headers": texts(false, "Headers that pages may read."),
				"max_age_seconds": schema.Int64Attribute{Optional: true, MarkdownDescription: "How long a browser may keep the answer."},
			}},
		},
		"policy": schema.StringAttribute{Optional: true, MarkdownDescription: "The bucket's policy as JSON, best with `jsonencode`; compared by what it means."},
	}
}
