// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// SourceCommon holds the arguments that every data source has. A model embeds it.
type SourceCommon struct {
	Cluster  types.Object   `tfsdk:"cluster"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// Shared gives access to the embedded arguments.
func (c *SourceCommon) Shared() *SourceCommon { return c }

// SourceModel is a pointer to a data source's model.
type SourceModel[M any] interface {
	*M
	Shared() *SourceCommon
}

// Source is what a data source brings to its envelope.
type Source[M any] struct {
	// Type is the name after "trainyard_"; Noun is what it reads.
	Type, Noun string
	// Schema has the data source's own attributes; the envelope adds those of SourceCommon.
	Schema func(ctx context.Context) schema.Schema
	// Limit is the default time limit; zero stands for that of the resources.
	Limit time.Duration
	// Read fills the computed part of the model. Violations are what is wrong with its arguments.
	Read func(ctx context.Context, cluster *kube.Cluster, model *M) (spec.Violations, diag.Diagnostics, error)
}

// NewSource wraps a data source in the envelope.
func NewSource[M any, P SourceModel[M]](source Source[M]) datasource.DataSource {
	if source.Limit == 0 {
		source.Limit = DefaultLimits.Read
	}
	return &sourceEnvelope[M, P]{source: source}
}

// sourceEnvelope implements the framework's data source interfaces.
type sourceEnvelope[M any, P SourceModel[M]] struct {
	source Source[M]
	hub    *connect.Hub
}

func (e *sourceEnvelope[M, P]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + e.source.Type
}

func (e *sourceEnvelope[M, P]) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if hub, ok := req.ProviderData.(*connect.Hub); ok {
		e.hub = hub
	}
}

func (e *sourceEnvelope[M, P]) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = e.source.Schema(ctx)
	resp.Schema.Attributes["cluster"] = connect.DataSourceAttribute()
	resp.Schema.Attributes["timeouts"] = timeouts.AttributesWithOpts(ctx, timeouts.Opts{
		ReadDescription: limitText("reading", e.source.Limit),
	})
}

func (e *sourceEnvelope[M, P]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model M
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	shared := P(&model).Shared()
	limit, diags := shared.Timeouts.Read(ctx, e.source.Limit)
	resp.Diagnostics.Append(diags...)
	if e.hub != nil && !e.hub.Known(shared.Cluster) && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		return
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	violations, diags, err := e.read(ctx, shared.Cluster, &model)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(violationErrors(violations, e.source.Noun)...)
	if err != nil {
		resp.Diagnostics.AddError("Unable to read "+e.source.Noun, kube.Explain(err).Error())
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// errLater: what Terraform reads now depends on what it makes later.
var errLater = errors.New(`the provider's "cluster" is only known after apply

Give this data source a "cluster" argument of its own that refers to what makes the cluster, or name that in depends_on; ` +
	`then Terraform reads it during the apply`)

func (e *sourceEnvelope[M, P]) read(ctx context.Context, at types.Object, model *M) (spec.Violations, diag.Diagnostics, error) {
	switch {
	case e.hub == nil:
		return nil, nil, errors.New("the provider is not configured")
	case !e.hub.Known(at):
		return nil, nil, errLater
	}
	cluster, err := e.hub.Cluster(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	return e.source.Read(ctx, cluster, model)
}

func violationErrors(violations spec.Violations, noun string) (diags diag.Diagnostics) {
	for _, v := range violations {
		diags.AddAttributeError(attributePath(v.Path), fmt.Sprintf("Invalid %s for %s", v.Path, noun), fmt.Sprintf("%s.\n\n%s.", v.Problem, v.Remedy))
	}
	return diags
}

func limitText(what string, limit time.Duration) string {
	text := limit.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return fmt.Sprintf("Time limit for %s, such as `30s` or `10m`. Default %s.", what, text)
}
