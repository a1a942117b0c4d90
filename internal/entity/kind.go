// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package entity is the envelope around every resource: it decodes, connects, keeps the
// time limits, and fixes the order of create, read, update and delete once. A resource brings
// a schema, a model, and a few plain functions (Kind).
//
// State is written only from what stands: after a write every object is compared with what
// was wanted, and a read that finds no difference leaves the state byte for byte as it was.
package entity

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Common holds the arguments that every resource has. A model embeds it.
type Common struct {
	Name     types.String   `tfsdk:"name"`
	Cluster  types.Object   `tfsdk:"cluster"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
	Drift    types.List     `tfsdk:"drift"`
}

// Shared gives access to the embedded arguments.
func (c *Common) Shared() *Common { return c }

// Model is a pointer to a resource's model.
type Model[M any] interface {
	*M
	Shared() *Common
}

// Kind is what a resource brings to the envelope. Of the functions only Want and Fold are
// required.
type Kind[M any] struct {
	// Type is the name after "trainyard_"; Noun is what people call one.
	Type, Noun string
	// Objects are the kinds that the resource owns. The first is that of its root, the object
	// that has the resource's name.
	Objects []kube.Kind
	// Schema has the resource's own attributes; the envelope adds those of Common.
	Schema func(ctx context.Context) schema.Schema
	// Limits are the default time limits.
	Limits Limits
	// Check finds what is wrong with a wholly known configuration.
	Check func(ctx context.Context, model *M) (spec.Violations, diag.Diagnostics)
	// Want renders the objects that a model stands for.
	Want func(ctx context.Context, model *M, owner objects.Owner) ([]*objects.Object, diag.Diagnostics)
	// Fold writes what stands into the model, keeping prior values that mean the same.
	Fold func(ctx context.Context, model *M, have []*objects.Object) diag.Diagnostics
	// Secrets copies write-only values from the configuration into the model.
	Secrets func(ctx context.Context, config tfsdk.Config, model *M) diag.Diagnostics
	// Against checks a plan against the cluster: that a parent exists, for instance.
	Against func(ctx context.Context, cluster *kube.Cluster, model *M) (Advice, error)
	// Drift adds differences that no owned field shows, as lines for the plan.
	Drift func(ctx context.Context, model *M, have []*objects.Object) []string
	// Prepare makes what stands fit to be changed, before the objects.
	Prepare func(ctx context.Context, run *engine.Run, model *M) error
	// Settle brings about, after the objects, what no object's field can say.
	Settle func(ctx context.Context, run *engine.Run, model *M) error
	// Vacate makes the resource fit to be deleted, or says why it may not be.
	Vacate func(ctx context.Context, cluster *kube.Cluster, model *M) error
}

// Advice is what a plan looks like beside its cluster: what cannot work, and what may not be
// meant.
type Advice struct{ Refused, Doubtful spec.Violations }

// Limits are default time limits.
type Limits struct{ Create, Read, Update, Delete time.Duration }

// DefaultLimits suit resources that own a handful of objects.
var DefaultLimits = Limits{Create: 5 * time.Minute, Read: 2 * time.Minute, Update: 5 * time.Minute, Delete: 10 * time.Minute}

// owner names this resource on its objects; the label has dashes: training-queue.
func (k Kind[M]) owner(owner, name string) objects.Owner {
	return objects.Owner{Owner: owner, Resource: dashed(k.Type), Name: name}
}
