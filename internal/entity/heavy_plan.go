// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// ValidateConfig checks what can be known before any plan.
func (h *heavy[M, P]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var model M
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if h.of.Check == nil || resp.Diagnostics.HasError() {
		return
	}
	violations, diags := h.of.Check(ctx, &model)
	resp.Diagnostics.Append(append(diags, h.violations(violations)...)...)
}

// ModifyPlan leaves alone what needs nothing, and completes every other plan with what it will
// change.
func (h *heavy[M, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		var leaving M
		resp.Diagnostics.Append(req.State.Get(ctx, &leaving)...)
		resp.Diagnostics.Append(h.protected(&leaving)...)
		return
	}
	var plan, prior M
	creating := req.State.Raw.IsNull()
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !creating {
		resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	}
	resp.Diagnostics.Append(h.secrets(ctx, req.Config, &plan)...)
	if resp.Diagnostics.HasError() || (!creating && req.Plan.Raw.Equal(req.State.Raw) && sound(P(&prior).Shared())) {
		return
	}
	shared := P(&plan).Shared()
	shared.Drift = driftList(nil)
	shared.Changes, shared.Ready, shared.Status = types.ListUnknown(types.StringType), types.BoolUnknown(), types.StringUnknown()
	h.of.Open(&plan)
	s := &Session{Hub: h.hub}
	resp.Diagnostics.Append(s.load(ctx, req.Private)...)
	var before *M
	if !creating {
		before = &prior
	}
	same, diags := h.preview(ctx, s, &plan, before)
	resp.Diagnostics.Append(diags...)
	switch {
	case resp.Diagnostics.HasError():
	case same && !creating && alike(ctx, req):
		resp.Plan.Raw = req.State.Raw
	default:
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

// protected refuses to destroy what is protected.
func (h *heavy[M, P]) protected(model *M) (diags diag.Diagnostics) {
	if h.of.Protected != nil && h.of.Protected(model) {
		diags.AddAttributeError(path.Root("deletion_protection"), fmt.Sprintf("%s %q is protected from deletion", strings.ToUpper(h.noun[:1])+h.noun[1:], P(model).Label()),
			"It would be destroyed, and deletion_protection is set. Set deletion_protection = false and apply that first.")
	}
	return diags
}

// alike says whether plan and state have the same nested objects. Terraform lets a plan keep a
// prior value in the place of what the configuration says, but not nothing for an object.
func alike(ctx context.Context, req resource.ModifyPlanRequest) bool {
	var planned, prior map[string]tftypes.Value
	if req.Plan.Raw.As(&planned) != nil || req.State.Raw.As(&prior) != nil {
		return false
	}
	kinds, _ := req.Plan.Schema.Type().TerraformType(ctx).(tftypes.Object)
	for name, kind := range kinds.AttributeTypes {
		if kind.Is(tftypes.Object{}) && planned[name].IsNull() != prior[name].IsNull() {
			return false
		}
	}
	return true
}

// sound says whether a state needs no apply.
func sound(shared *HeavyCommon) bool {
	return shared.Ready.ValueBool() && len(shared.Drift.Elements()) == 0 && !shared.Drift.IsNull()
}

// preview asks the resource what the plan will change. Where the cluster is not known yet or
// cannot be reached, that is told from the configuration alone.
func (h *heavy[M, P]) preview(ctx context.Context, s *Session, plan, prior *M) (same bool, diags diag.Diagnostics) {
	shared := P(plan).Shared()
	if h.hub == nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.of.Limits.Read)
	defer cancel()
	var err error
	if h.hub.Known(shared.Cluster) {
		s.Cluster, _, err = h.connect(ctx, shared.Cluster, "")
	}
	switch {
	case err != nil && prior == nil && kube.IsUnreachable(err):
		diags.AddWarning(withoutCluster, fmt.Sprintf("The cluster cannot be reached now, so that the plan says what the configuration makes and the apply checks the rest. Cause: %v", err))
	case err != nil:
		return false, h.failed("plan", P(plan).Label(), err)
	case s.Cluster == nil:
		diags.AddWarning(withoutCluster, "Where the cluster is becomes known during the apply. The plan says what the configuration makes, and the apply checks the rest.")
	}
	same, err = h.of.Preview(ctx, s, plan, prior)
	if err != nil {
		diags.Append(h.failed("plan", P(plan).Label(), err)...)
	}
	return same, diags
}
