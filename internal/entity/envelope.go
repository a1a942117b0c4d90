// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
)

// New wraps a kind of resource in the envelope.
func New[M any, P Model[M]](kind Kind[M]) resource.Resource {
	if kind.Limits == (Limits{}) {
		kind.Limits = DefaultLimits
	}
	return &envelope[M, P]{kind: kind, base: base{name: kind.Type, noun: kind.Noun}}
}

// envelope implements the framework's resource interfaces.
type envelope[M any, P Model[M]] struct {
	base
	kind Kind[M]
}

// base is what all resources share: their name, and the way to their cluster.
type base struct {
	name, noun string
	hub        *connect.Hub
}

func (e *base) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + e.name
}

func (e *base) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if hub, ok := req.ProviderData.(*connect.Hub); ok {
		e.hub = hub
	}
}

func (e *envelope[M, P]) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = e.kind.Schema(ctx)
	if _, own := resp.Schema.Attributes["name"]; !own {
		resp.Schema.Attributes["name"] = schema.StringAttribute{
			Required: true, MarkdownDescription: fmt.Sprintf("Name of the %s. Changing it makes a new one.", e.kind.Noun),
			Validators:    labelName(),
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		}
	}
	resp.Schema.Attributes["cluster"] = connect.ResourceAttribute()
	resp.Schema.Attributes["timeouts"] = timeoutsAttribute(ctx, e.kind.Limits)
	resp.Schema.Attributes["drift"] = driftAttribute()
}

func timeoutsAttribute(ctx context.Context, limits Limits) schema.Attribute {
	return timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, Read: true, Update: true, Delete: true,
		CreateDescription: limitText("creating", limits.Create), ReadDescription: limitText("reading", limits.Read),
		UpdateDescription: limitText("changing", limits.Update), DeleteDescription: limitText("deleting", limits.Delete),
	})
}

func driftAttribute() schema.Attribute {
	return schema.ListAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "What somebody else changed since the last apply: object, field, the value that is wanted, the value that stands, who and when. " +
			"Always planned to be empty, so that drift is a change in the plan (`-detailed-exitcode` returns 2) and the next apply repairs it.",
	}
}

func (e *envelope[M, P]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the " + e.kind.Noun + "."},
	}}
}

// ImportState takes the name, as an id or as the identity; the read that follows fills the rest.
func (e *envelope[M, P]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("name"), path.Root("name"), req, resp)
}

func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }
