// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package provider is the Terraform provider itself: its configuration and its lists of
// resources and data sources.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/component"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/gpucluster"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/gpunodes"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/queuestatus"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/storagetier"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/teamquota"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/trainingqueue"
)

// New returns a constructor of the provider at a version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &trainyard{version: version} }
}

type trainyard struct{ version string }

type config struct {
	Cluster types.Object `tfsdk:"cluster"`
	Token   types.String `tfsdk:"token"`
	Owner   types.String `tfsdk:"owner"`
	Charts  types.Object `tfsdk:"charts"`
	Images  types.Object `tfsdk:"images"`
}

func (p *trainyard) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "trainyard"
	resp.Version = p.version
}

func (p *trainyard) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Builds AI training platforms on Kubernetes: queues, teams, storage, monitoring and validated GPU nodes.",
		Attributes: map[string]schema.Attribute{
			"cluster": connect.ProviderAttribute(),
			"charts":  connect.ChartsAttribute(),
			"images":  connect.ImagesAttribute(),
			"token": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Bearer token for `cluster`; better given in the environment variable `" + connect.TokenEnv + "`. It goes to the host of this `cluster` and to no other.",
			},
			"owner": schema.StringAttribute{
				Optional:            true,
				Validators:          entity.OwnerName(),
				MarkdownDescription: "Name of this installation, on the label `trainyard.io/owner` of every object. Give each configuration that shares a cluster its own, so that none takes the objects of another. Default `default`.",
			},
		},
	}
}

// Configure keeps the connection; it sends nothing, and tolerates values that are only known
// after apply.
func (p *trainyard) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var c config
	resp.Diagnostics.Append(req.Config.Get(ctx, &c)...)
	if resp.Diagnostics.HasError() {
		return
	}
	hub := connect.NewHub(p.version)
	hub.Owner = "default"
	if c.Owner.ValueString() != "" {
		hub.Owner = c.Owner.ValueString()
	}
	hub.Unknown = c.Token.IsUnknown() || c.Owner.IsUnknown() || !hub.Known(c.Cluster)
	if !hub.Unknown && !c.Cluster.IsNull() {
		connection, diags := connect.Decode(ctx, c.Cluster)
		for _, d := range diags {
			resp.Diagnostics.AddAttributeError(path.Root("cluster"), d.Summary(), d.Detail())
		}
		connection.Token = connect.Token(c.Token)
		hub.Default = connection
	}
	resp.Diagnostics.Append(hub.UseCharts(ctx, c.Charts, c.Images)...)
	tflog.Debug(ctx, "Configured", map[string]any{"owner": hub.Owner, "unknown": hub.Unknown})
	resp.ResourceData = hub
	resp.DataSourceData = hub
}

func (p *trainyard) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{component.New, gpucluster.New, monitoring.New, storagetier.New, teamquota.New, trainingqueue.New}
}

func (p *trainyard) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{gpunodes.New, queuestatus.New}
}
