// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Defaults that a configuration leaves out.
const (
	defaultEnforce = spec.LevelBaseline
	defaultAudit   = spec.LevelRestricted
)

func schemaOf(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One team as a whole: its namespace with Pod Security labels and cost center, its ResourceQuota and LimitRange, " +
			"roles and who has them, network policies, the queue of its jobs and the credentials of its image registry.\n\n" +
			"A failed create leaves nothing behind; a failed update puts back what it changed. Deleting the team deletes its namespace and all that " +
			"lies in it; while pods run or claims hold data it is refused, unless `delete_running_pods` or `delete_bound_volumes` says otherwise.\n\n" +
			"By default everything from and to the team's pods is closed but DNS and the namespace itself: see `network`.",
		Attributes: map[string]schema.Attribute{
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "More labels on the namespace. Those of Trainyard, of Pod Security and `app.kubernetes.io/managed-by` are refused.",
			},
			"annotations": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "More annotations on the namespace.",
			},
			"cost_center": schema.StringAttribute{
				Optional: true, Validators: notEmpty(),
				MarkdownDescription: "Who pays for what runs here: the label `trainyard.io/cost-center` on the namespace.",
			},
			"queue": schema.StringAttribute{
				Optional: true, Validators: notEmpty(),
				MarkdownDescription: "Volcano queue of the jobs in this namespace that name none (annotation `scheduling.volcano.sh/queue-name`). " +
					"Refer to it (`trainyard_training_queue.research.name`), so that Terraform makes it first.",
			},
			"pod_security": withDefault(ctx, podSecuritySchema()),
			"quota":        quotaSchema(),
			"limits":       limitsSchema(),
			"members":      membersSchema(),
			"network":      withDefault(ctx, networkSchema()),
			"registry":     registrySchema(),
			"delete_running_pods": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the team may be deleted while its pods still run or wait; they are ended. It counts once it is applied. Default `false`.",
			},
			"delete_bound_volumes": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the team may be deleted while its claims hold volumes; what becomes of the data is up to the reclaim policy of " +
					"the storage class. It counts once it is applied. Default `false`.",
			},
		},
	}
}

func podSecuritySchema() schema.SingleNestedAttribute {
	level := func(text, otherwise string) schema.Attribute {
		return schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(otherwise),
			Validators:          []validator.String{stringvalidator.OneOf(spec.LevelPrivileged, spec.LevelBaseline, spec.LevelRestricted)},
			MarkdownDescription: text + " `privileged`, `baseline` or `restricted`. Default `" + otherwise + "`.",
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Levels of the [Pod Security Standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/).",
		Attributes: map[string]schema.Attribute{
			"enforce": level("Pods that break this level are refused.", defaultEnforce),
			"audit":   level("Pods that break this level are noted in the audit log.", defaultAudit),
			"warn":    level("Who makes a pod that breaks this level is warned.", defaultAudit),
			"version": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(spec.VersionLatest),
				MarkdownDescription: "Kubernetes version whose rules count, such as `v1.36`. Default `latest`.",
			},
		},
	}
}

func registrySchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Private image registry: the Secret `trainyard-registry`, which the namespace's service account `default` pulls images with. " +
			"Pods that run as another service account name it in their `imagePullSecrets`.",
		Attributes: map[string]schema.Attribute{
			"server": schema.StringAttribute{
				Required: true, Validators: notEmpty(),
				MarkdownDescription: "Host that image names begin with, such as `registry.example.com:5000`.",
			},
			"username": schema.StringAttribute{
				Required: true, Validators: notEmpty(),
				MarkdownDescription: "User or robot account. It can be read in the state and in an annotation of the Secret.",
			},
			"password": schema.StringAttribute{
				Required: true, Sensitive: true, WriteOnly: true,
				MarkdownDescription: "Password or token. Write-only (Terraform and OpenTofu 1.11 or later): it is sent with each change of the team and is in no plan and no state.",
			},
			"password_version": schema.StringAttribute{
				Optional: true, Validators: notEmpty(),
				MarkdownDescription: "Any text of your own. Change it together with the password: Terraform does not see that a write-only value changed.",
			},
			"email": schema.StringAttribute{
				Optional: true, Validators: notEmpty(),
				MarkdownDescription: "Address of the account, for the few registries that want one.",
			},
		},
	}
}

func notEmpty() []validator.String {
	return []validator.String{stringvalidator.LengthAtLeast(1)}
}
