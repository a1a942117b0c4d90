// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func membersSchema() schema.SingleNestedAttribute {
	role := func(text string) schema.Attribute {
		return schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: text,
			Attributes: map[string]schema.Attribute{
				"users":            texts("Users, as the cluster's authentication names them."),
				"groups":           texts("Groups, as the cluster's authentication names them."),
				"service_accounts": texts("Service accounts: `namespace/name`, or `name` for one in the team's namespace."),
			},
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Who may do what in the namespace. For each role that somebody has there is a Role and a RoleBinding `trainyard-<role>`. " +
			"No role may change quotas, limits or network policies.",
		Attributes: map[string]schema.Attribute{
			"admins": role("Everything in the namespace, secrets and further roles included; no role can give more than its giver has."),
			"engineers": role("Submit, read and delete jobs (Kubernetes, Volcano, Kubeflow, JobSet, Ray), look into their pods (log, exec, port-forward), " +
				"change config maps and services, add secrets without reading any, read everything else."),
			"data_engineers": role("Change claims for volumes, volume snapshots, jobs, cron jobs and config maps, look into pods, add secrets without reading any, read everything else."),
			"viewers":        role("Read everything but secrets."),
		},
	}
}

func networkSchema() schema.SingleNestedAttribute {
	yes := func(text string) schema.Attribute {
		return schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(true), MarkdownDescription: text + " Default `true`.",
		}
	}
	blocks := func(text string) schema.Attribute {
		return schema.MapNestedAttribute{
			Optional: true, MarkdownDescription: text + " By CIDR in its canonical form, such as `10.0.0.0/8` or `fd00::/8`; `{}` opens all of it.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"except": texts("CIDRs within the block that stay closed."),
				"ports":  texts("Ports that are open: `443`, `53/UDP` or `30000-32767/TCP`. Left out, all are."),
			}},
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "What the team's pods may talk to: the NetworkPolicies `trainyard-default-deny` and `trainyard-allow`. They take effect where the " +
			"cluster's network plugin enforces policies.",
		Attributes: map[string]schema.Attribute{
			"default_deny":       yes("Close everything, in and out, that the other arguments do not open. With `false` there is no policy and everything is open."),
			"dns":                yes("Open the way to the cluster's DNS servers (pods with the label `k8s-app=kube-dns` in `kube-system`, port 53)."),
			"same_namespace":     yes("Let the team's pods talk to each other, as distributed training needs."),
			"ingress_namespaces": texts("Namespaces whose pods may connect to the team's pods."),
			"egress_namespaces":  texts("Namespaces whose pods the team's pods may connect to."),
			"ingress_cidrs":      blocks("Addresses that may connect to the team's pods."),
			"egress_cidrs":       blocks("Addresses that the team's pods may connect to."),
		},
	}
}

// texts is a list of strings.
func texts(text string) schema.ListAttribute {
	return schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: text}
}
