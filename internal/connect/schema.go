// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	provider "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// The same argument stands in the provider block, in resources and in data sources, whose
// schemas are three types; the texts and the rules stand here once.
const (
	clusterText = "Where the cluster is: `kubeconfig_path` (with `context`), or `host` with `ca` and `exec`. " +
		"It locates the cluster and holds no secrets. "
	resourceText   = clusterText + "Left out, the provider's `cluster` is used."
	providerText   = clusterText + "Resources may override it. Left out, each resource must have its own: Trainyard never falls back on `KUBECONFIG`, the in-cluster account or localhost."
	kubeconfigText = "Path of a kubeconfig file; `~/` is the home folder."
	contextText    = "Context in the kubeconfig; left out, its current context."
	hostText       = "URL of the API server, such as `https://10.0.0.1:6443`."
	caText         = "The certificate authority of the API server, in PEM."
	execText       = "A program that prints credentials (a client-go credential plugin), such as `aws eks get-token`."
	apiVersionText = "Version of the credential API; left out, `client.authentication.k8s.io/v1`."
	commandText    = "The program."
	argsText       = "Its arguments."
	envText        = "Its environment, besides the one that the provider has."
)

// oneForm accepts either a kubeconfig or a host.
func oneForm() []validator.Object { return []validator.Object{formValidator{}} }

type formValidator struct{}

const formText = "Give kubeconfig_path (with context), or host (with ca and exec)"

func (formValidator) Description(context.Context) string         { return formText }
func (formValidator) MarkdownDescription(context.Context) string { return formText }

func (formValidator) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	given := req.ConfigValue.Attributes()
	file, host := !given["kubeconfig_path"].IsNull(), !given["host"].IsNull()
	refuse := func(attribute, problem string) {
		resp.Diagnostics.AddAttributeError(req.Path.AtName(attribute), "Invalid cluster", problem+".\n\n"+formText+".")
	}
	switch {
	case file && host:
		refuse("host", "A kubeconfig_path is given as well, and it already names the host")
	case !file && !host:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid cluster", "Nothing in it says where the cluster is.\n\n"+formText+".")
	case file && !given["exec"].IsNull():
		refuse("exec", "A kubeconfig_path is given, whose own credentials are used")
	case file && !given["ca"].IsNull():
		refuse("ca", "A kubeconfig_path is given, whose own certificate authority is used")
	case host && !given["context"].IsNull():
		refuse("context", "A context belongs to a kubeconfig_path")
	}
	if text, ok := given["host"].(types.String); ok && host && !text.IsUnknown() {
		if err := kube.CheckHost(text.ValueString()); err != nil {
			refuse("host", err.Error())
		}
	}
}

// ResourceAttribute is the cluster argument of a resource.
func ResourceAttribute() resource.Attribute {
	return resource.SingleNestedAttribute{Optional: true, MarkdownDescription: resourceText, Validators: oneForm(), Attributes: map[string]resource.Attribute{
		"kubeconfig_path": resource.StringAttribute{Optional: true, MarkdownDescription: kubeconfigText},
		"context":         resource.StringAttribute{Optional: true, MarkdownDescription: contextText},
		"host":            resource.StringAttribute{Optional: true, MarkdownDescription: hostText},
		"ca":              resource.StringAttribute{Optional: true, MarkdownDescription: caText},
		"exec": resource.SingleNestedAttribute{Optional: true, MarkdownDescription: execText, Attributes: map[string]resource.Attribute{
			"api_version": resource.StringAttribute{Optional: true, MarkdownDescription: apiVersionText},
			"command":     resource.StringAttribute{Required: true, MarkdownDescription: commandText},
			"args":        resource.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: argsText},
			"env":         resource.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: envText},
		}},
	}}
}

// ProviderAttribute is the cluster argument of the provider block.
func ProviderAttribute() provider.Attribute {
	return provider.SingleNestedAttribute{Optional: true, MarkdownDescription: providerText, Validators: oneForm(), Attributes: map[string]provider.Attribute{
		"kubeconfig_path": provider.StringAttribute{Optional: true, MarkdownDescription: kubeconfigText},
		"context":         provider.StringAttribute{Optional: true, MarkdownDescription: contextText},
		"host":            provider.StringAttribute{Optional: true, MarkdownDescription: hostText},
		"ca":              provider.StringAttribute{Optional: true, MarkdownDescription: caText},
		"exec": provider.SingleNestedAttribute{Optional: true, MarkdownDescription: execText, Attributes: map[string]provider.Attribute{
			"api_version": provider.StringAttribute{Optional: true, MarkdownDescription: apiVersionText},
			"command":     provider.StringAttribute{Required: true, MarkdownDescription: commandText},
			"args":        provider.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: argsText},
			"env":         provider.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: envText},
		}},
	}}
}

// DataSourceAttribute is the cluster argument of a data source.
func DataSourceAttribute() datasource.Attribute {
	return datasource.SingleNestedAttribute{Optional: true, MarkdownDescription: resourceText, Validators: oneForm(), Attributes: map[string]datasource.Attribute{
		"kubeconfig_path": datasource.StringAttribute{Optional: true, MarkdownDescription: kubeconfigText},
		"context":         datasource.StringAttribute{Optional: true, MarkdownDescription: contextText},
		"host":            datasource.StringAttribute{Optional: true, MarkdownDescription: hostText},
		"ca":              datasource.StringAttribute{Optional: true, MarkdownDescription: caText},
		"exec": datasource.SingleNestedAttribute{Optional: true, MarkdownDescription: execText, Attributes: map[string]datasource.Attribute{
			"api_version": datasource.StringAttribute{Optional: true, MarkdownDescription: apiVersionText},
			"command":     datasource.StringAttribute{Required: true, MarkdownDescription: commandText},
			"args":        datasource.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: argsText},
			"env":         datasource.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: envText},
		}},
	}}
}
