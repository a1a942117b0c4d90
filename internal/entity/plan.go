// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// ValidateConfig refuses what is wrong as soon as the configuration is wholly known. Until
// then the schema's own validators look at each known value.
func (e *envelope[M, P]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if e.kind.Check == nil || !req.Config.Raw.IsFullyKnown() {
		return
	}
	var model M
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(e.check(ctx, &model)...)
	}
}

// ModifyPlan plans drift to be repaired, and checks a plan that changes something.
func (e *envelope[M, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() { // deletion
		return
	}
	var drift types.List
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("drift"), &drift)...)
	if drift.IsNull() || drift.IsUnknown() || len(drift.Elements()) > 0 {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("drift"), driftList(nil))...)
	} else if req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	if resp.Diagnostics.HasError() || !req.Config.Raw.IsFullyKnown() {
		return
	}
	var model M
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(e.check(ctx, &model)...)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(e.against(ctx, &model, req.State.Raw.IsNull())...)
	}
}

// check reports every violation at its attribute.
func (e *envelope[M, P]) check(ctx context.Context, model *M) (diags diag.Diagnostics) {
	if e.kind.Check == nil {
		return nil
	}
	violations, diags := e.kind.Check(ctx, model)
	return append(diags, e.violations(violations)...)
}

func (e *base) violations(violations spec.Violations) (diags diag.Diagnostics) {
	for _, v := range violations {
		diags.AddAttributeError(attributePath(v.Path), fmt.Sprintf("Invalid %s of a %s", v.Path, e.noun),
			fmt.Sprintf("%s.\n\n%s.", v.Problem, v.Remedy))
	}
	return diags
}

const withoutCluster = "Planned without looking at the cluster"

// against checks a plan with the cluster. A new resource whose cluster cannot be reached yet
// is planned from the schema alone: the same apply may make the cluster.
func (e *envelope[M, P]) against(ctx context.Context, model *M, creating bool) (diags diag.Diagnostics) {
	shared := P(model).Shared()
	if e.hub == nil {
		return nil
	}
	if !e.hub.Known(shared.Cluster) {
		diags.AddWarning(withoutCluster, "Where the cluster is becomes known during the apply. The plan was made from the schema alone, and the apply checks the rest.")
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, e.kind.Limits.Read)
	defer cancel()
	name := shared.Name.ValueString()
	advice, err := e.compare(ctx, model, name, creating)
	switch {
	case err == nil:
		for _, v := range advice.Doubtful {
			diags.AddAttributeWarning(attributePath(v.Path), fmt.Sprintf("Look at %s of %s %q", v.Path, e.kind.Noun, name),
				fmt.Sprintf("%s.\n\n%s.", v.Problem, v.Remedy))
		}
		return append(diags, e.violations(advice.Refused)...)
	case creating && kube.IsUnreachable(err):
		diags.AddWarning(withoutCluster,
			fmt.Sprintf("The cluster cannot be reached now, so the plan was made from the schema alone and the apply checks the rest. Cause: %v", err))
		return diags
	}
	return e.failed("plan", name, err)
}

func (e *envelope[M, P]) compare(ctx context.Context, model *M, name string, creating bool) (advice Advice, err error) {
	cluster, _, err := e.connect(ctx, P(model).Shared().Cluster, "")
	if err != nil {
		return advice, err
	}
	if creating {
		owner := e.kind.owner(e.hub.Owner, name)
		want, diags := e.kind.Want(ctx, model, owner)
		if diags.HasError() {
			return advice, diagnosticsError(diags)
		}
		goal := plan.Goal{Want: want}
		if goal.Have, err = engine.Observe(ctx, cluster, owner, e.kind.Objects, want); err != nil {
			return advice, err
		}
		if err := engine.CheckOwnership(owner, nil, goal.Have); err != nil {
			return advice, err
		}
		for _, object := range want {
			cluster.Expect(object)
		}
	}
	if e.kind.Against == nil {
		return advice, nil
	}
	return e.kind.Against(ctx, cluster, model)
}

func attributePath(p spec.Path) path.Path {
	at := path.Empty()
	for _, step := range p {
		switch s := step.(type) {
		case spec.Key:
			at = at.AtMapKey(string(s))
		case int:
			at = at.AtListIndex(s)
		case string:
			at = at.AtName(s)
		}
	}
	return at
}
