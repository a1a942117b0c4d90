// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"net/url"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	provider "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

// ChartsAttribute is the provider's argument about where charts come from.
func ChartsAttribute() provider.Attribute {
	return provider.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Where charts come from, for all resources.",
		Attributes: map[string]provider.Attribute{
			"mirror": provider.StringAttribute{
				Optional: true, MarkdownDescription: "Take every chart from here and none from its own repository: an OCI registry (`oci://...`), a web server (`https://...`) or a folder, as `trainyard mirror` fills it.",
			},
			"cache_dir": provider.StringAttribute{
				Optional: true, MarkdownDescription: "Folder in which charts are kept by their digest. Default `trainyard/charts` in the user's cache folder.",
			},
			"credentials": provider.MapNestedAttribute{
				Optional: true, Sensitive: true, MarkdownDescription: "Credentials for chart repositories and registries, by host (`host` or `host:port`). They go to that host and to no other.",
				NestedObject: provider.NestedAttributeObject{Attributes: map[string]provider.Attribute{
					"username": provider.StringAttribute{Required: true, MarkdownDescription: "User."},
					"password": provider.StringAttribute{Required: true, Sensitive: true, MarkdownDescription: "Password or token."},
				}},
			},
		},
	}
}

// ImagesAttribute is the provider's argument about where images come from.
func ImagesAttribute() provider.Attribute {
	return provider.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Where images come from, for the charts of the catalogue.",
		Attributes: map[string]provider.Attribute{
			"registry_mirror": provider.StringAttribute{
				Optional: true, MarkdownDescription: "Registry, with a path where it needs one, below which every image is pulled: `nvcr.io/nvidia/x:1` becomes `MIRROR/nvcr.io/nvidia/x:1`, as `trainyard mirror push` lays them down.",
			},
		},
	}
}

type chartsModel struct {
	Mirror      types.String `tfsdk:"mirror"`
	CacheDir    types.String `tfsdk:"cache_dir"`
	Credentials types.Map    `tfsdk:"credentials"`
}

type credentialsModel struct {
	Username types.String `tfsdk:"username"`
	Password types.String `tfsdk:"password"`
}

type imagesModel struct {
	RegistryMirror types.String `tfsdk:"registry_mirror"`
}

// UseCharts reads both arguments into the hub.
func (h *Hub) UseCharts(ctx context.Context, charts, images types.Object) (diags diag.Diagnostics) {
	var c chartsModel
	if !charts.IsNull() {
		diags.Append(charts.As(ctx, &c, basetypes.ObjectAsOptions{UnhandledUnknownAsEmpty: true})...)
	}
	var i imagesModel
	if !images.IsNull() {
		diags.Append(images.As(ctx, &i, basetypes.ObjectAsOptions{UnhandledUnknownAsEmpty: true})...)
	}
	h.Charts = chartstore.New(c.CacheDir.ValueString(), c.Mirror.ValueString())
	h.ImageMirror = i.RegistryMirror.ValueString()
	if mirror := c.Mirror.ValueString(); mirror != "" {
		if err := chartstore.CheckMirror(mirror); err != nil {
			diags.AddAttributeError(path.Root("charts").AtName("mirror"), "Invalid charts.mirror", err.Error())
		}
	}
	if c.Credentials.IsNull() || c.Credentials.IsUnknown() {
		return diags
	}
	byHost := map[string]credentialsModel{}
	diags.Append(c.Credentials.ElementsAs(ctx, &byHost, false)...)
	h.ChartCredentials = make(map[string]chartstore.Credentials, len(byHost))
	for host, given := range byHost {
		h.ChartCredentials[host] = chartstore.Credentials{Username: given.Username.ValueString(), Password: given.Password.ValueString()}
	}
	if at, err := url.Parse(c.Mirror.ValueString()); err == nil && at.Host != "" {
		if found, ok := h.ChartCredentials[at.Host]; ok {
			h.Charts.MirrorCredentials = &found
		}
	}
	return diags
}
