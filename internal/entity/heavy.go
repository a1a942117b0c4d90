// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// HeavyCommon is what every heavy resource has.
type HeavyCommon struct {
	Cluster  types.Object   `tfsdk:"cluster"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
	Drift    types.List     `tfsdk:"drift"`
	Changes  types.List     `tfsdk:"changes"`
	Ready    types.Bool     `tfsdk:"ready"`
	Status   types.String   `tfsdk:"status"`
}

// Shared returns itself, so that a model which embeds HeavyCommon is a HeavyModel.
func (c *HeavyCommon) Shared() *HeavyCommon { return c }

// HeavyModel is a pointer to a resource's model.
type HeavyModel[M any] interface {
	*M
	Shared() *HeavyCommon
	// Label names the resource for people, and Identify fills its identity.
	Label() string
	Identify() any
}

// Session is what a heavy resource works with.
type Session struct {
	Hub     *connect.Hub
	Cluster *kube.Cluster
	// Record is what the resource remembers between runs, beside its state. It holds no secret.
	Record json.RawMessage
}

// Heavy describes a resource that holds data or time. Once the first object of one exists, a
// failure does not lose it: its state says ready = false and why, the run warns, and the next
// apply goes on where this one ended.
type Heavy[M any] struct {
	// Type is the name after "trainyard_"; Noun is what people call one.
	Type, Noun string
	// Schema has the resource's own attributes; the envelope adds those of HeavyCommon.
	Schema func(ctx context.Context) schema.Schema
	// Identity has the attributes that name one; Import reads them from an id.
	Identity map[string]string
	Import   func(id string) (map[string]string, error)
	Limits   Limits
	// Check finds what is wrong with a configuration, as far as it is known.
	Check func(ctx context.Context, model *M) (spec.Violations, diag.Diagnostics)
	// Secrets copies write-only values from the configuration into the model.
	Secrets func(ctx context.Context, config tfsdk.Config, model *M) diag.Diagnostics
	// Open marks the outputs of a model as only known after the apply.
	Open func(model *M)
	// Observe brings the model up to date with what stands, Drift, Ready and Status included;
	// gone: nothing stands.
	Observe func(ctx context.Context, s *Session, model *M) (gone bool, err error)
	// Preview completes a plan with what it would change. A nil cluster cannot be asked now.
	// same: nothing would, and the prior state stays as it is.
	Preview func(ctx context.Context, s *Session, plan, prior *M) (same bool, err error)
	// Apply brings about the plan and completes the model. touched: something was written, so
	// that the model is worth keeping whatever the error.
	Apply func(ctx context.Context, s *Session, model *M) (touched bool, err error)
	// Protected says whether a model refuses to be destroyed; nil: none does.
	Protected func(model *M) bool
	// Remove deletes what stands, and names what it left.
	Remove func(ctx context.Context, s *Session, model *M) (kept []string, err error)
}

// HeavyLimits are the default time limits of a heavy resource.
var HeavyLimits = Limits{Create: DefaultLimits.Create * 4, Read: DefaultLimits.Read, Update: DefaultLimits.Update * 4, Delete: DefaultLimits.Delete * 2}

// NewHeavy makes a resource of a kind.
func NewHeavy[M any, P HeavyModel[M]](kind Heavy[M]) resource.Resource {
	if kind.Limits == (Limits{}) {
		kind.Limits = HeavyLimits
	}
	return &heavy[M, P]{base: base{name: kind.Type, noun: kind.Noun}, of: kind}
}

type heavy[M any, P HeavyModel[M]] struct {
	base
	of Heavy[M]
}

func (h *heavy[M, P]) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = h.of.Schema(ctx)
	resp.Schema.Attributes["cluster"] = connect.ResourceAttribute()
	resp.Schema.Attributes["timeouts"] = timeoutsAttribute(ctx, h.of.Limits)
	resp.Schema.Attributes["drift"] = driftAttribute()
	resp.Schema.Attributes["changes"] = schema.ListAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "What the last apply made, changed and deleted; in a plan, what the next one will: one line for each object that comes or goes, and for each field that changes.",
	}
	resp.Schema.Attributes["ready"] = schema.BoolAttribute{
		Computed: true,
		MarkdownDescription: fmt.Sprintf("Whether the %s stands as it was applied and became ready. A failed apply leaves it `false` with a warning and loses nothing; "+
			"a `postcondition` on it makes the run fail.", h.noun),
	}
	resp.Schema.Attributes["status"] = schema.StringAttribute{Computed: true, MarkdownDescription: "How it stands, and if it is not ready, what failed and why."}
}

// recordKey is where the record lies in the private state.
const recordKey = "record"

func (s *Session) load(ctx context.Context, private keyGetter) (diags diag.Diagnostics) {
	s.Record, diags = private.GetKey(ctx, recordKey)
	return diags
}

func (s *Session) save(ctx context.Context, private keySetter) diag.Diagnostics {
	if len(s.Record) == 0 {
		return nil
	}
	return private.SetKey(ctx, recordKey, s.Record)
}
