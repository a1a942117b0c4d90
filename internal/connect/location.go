// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// OutputAttributes are the attributes of an output that says where a cluster is, in the form of
// the argument cluster.
func OutputAttributes() map[string]resource.Attribute {
	return map[string]resource.Attribute{
		"kubeconfig_path": resource.StringAttribute{Computed: true, MarkdownDescription: kubeconfigText},
		"context":         resource.StringAttribute{Computed: true, MarkdownDescription: contextText},
		"host":            resource.StringAttribute{Computed: true, MarkdownDescription: hostText},
		"ca":              resource.StringAttribute{Computed: true, MarkdownDescription: caText},
		"exec": resource.SingleNestedAttribute{Computed: true, MarkdownDescription: execText, Attributes: map[string]resource.Attribute{
			"api_version": resource.StringAttribute{Computed: true, MarkdownDescription: apiVersionText},
			"command":     resource.StringAttribute{Computed: true, MarkdownDescription: commandText},
			"args":        resource.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: argsText},
			"env":         resource.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: envText},
		}},
	}
}

// Location says where the cluster of a resource is: its own argument, or else the provider's.
// It holds no secret.
func (h *Hub) Location(cluster types.Object) types.Object {
	if !cluster.IsNull() || h.Default == nil {
		return cluster
	}
	return encode(*h.Default)
}

func encode(c kube.Connection) types.Object {
	kinds := AttrTypes()
	execKind, _ := kinds["exec"].(types.ObjectType)
	exec := types.ObjectNull(execKind.AttrTypes)
	if c.Exec != nil {
		args, env := make([]attr.Value, 0, len(c.Exec.Args)), map[string]attr.Value{}
		for _, arg := range c.Exec.Args {
			args = append(args, types.StringValue(arg))
		}
		for name, value := range c.Exec.Env {
			env[name] = types.StringValue(value)
		}
		exec = types.ObjectValueMust(execKind.AttrTypes, map[string]attr.Value{
			"api_version": types.StringValue(c.Exec.APIVersion), "command": types.StringValue(c.Exec.Command),
			"args": types.ListValueMust(types.StringType, args), "env": types.MapValueMust(types.StringType, env),
		})
	}
	return types.ObjectValueMust(kinds, map[string]attr.Value{
		"kubeconfig_path": orNull(c.KubeconfigPath), "context": orNull(c.Context), "host": orNull(c.Host), "ca": orNull(c.CA), "exec": exec,
	})
}

func orNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}
