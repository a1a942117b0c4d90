// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// Read compares what stands with what state says. Only when the API server is sure that no
// object of the resource is left does it leave the state; where nothing differs, the state
// stays as it is.
func (e *envelope[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model M
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	shared := P(&model).Shared()
	resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, shared.Name)...)
	pin, diags := readPin(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	limit, diags := shared.Timeouts.Read(ctx, e.kind.Limits.Read)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	name := shared.Name.ValueString()
	cluster, uid, err := e.connect(ctx, shared.Cluster, pin.UID)
	if err != nil {
		resp.Diagnostics.Append(e.failed("read", name, err)...)
		return
	}
	if pin.UID == "" {
		resp.Diagnostics.Append(pinned{UID: uid}.write(ctx, resp.Private)...)
	}
	found, diags := e.refresh(ctx, cluster, &model)
	resp.Diagnostics.Append(diags...)
	switch {
	case resp.Diagnostics.HasError() || found == asInState:
	case found == nowhere:
		resp.State.RemoveResource(ctx)
	default:
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// finding is what a refresh found: the resource as state has it, changed, or not at all.
type finding int

const (
	changed finding = iota
	asInState
	nowhere
)

// refresh brings the model up to date with what stands.
func (e *envelope[M, P]) refresh(ctx context.Context, cluster *kube.Cluster, model *M) (found finding, diags diag.Diagnostics) {
	shared := P(model).Shared()
	name := shared.Name.ValueString()
	owner := e.kind.owner(e.hub.Owner, name)
	imported := shared.Drift.IsNull() // state of ours always has the list
	want, diags := e.kind.Want(ctx, model, owner)
	if diags.HasError() {
		return changed, diags
	}
	have, err := engine.Observe(ctx, cluster, owner, e.kind.Objects, want)
	if err != nil {
		return changed, e.failed("read", name, err)
	}
	if len(have) == 0 {
		return nowhere, nil
	}
	if imported {
		if have, err = engine.Authored(ctx, cluster, have); err != nil {
			return changed, e.failed("read", name, err)
		}
		diags.Append(e.kind.Fold(ctx, model, have)...)
		if want, diags = e.kind.Want(ctx, model, owner); diags.HasError() {
			return changed, diags
		}
	}
	drifts, err := engine.Drifts(ctx, cluster, want, have)
	if err != nil {
		return changed, e.failed("read", name, err)
	}
	var lines []string
	for _, drift := range drifts {
		lines = append(lines, drift.Lines()...)
	}
	if e.kind.Drift != nil {
		lines = append(lines, e.kind.Drift(ctx, model, have)...)
	}
	switch {
	case imported:
	case len(lines) > 0:
		diags.Append(e.kind.Fold(ctx, model, have)...)
	case len(shared.Drift.Elements()) == 0:
		return asInState, diags
	}
	shared.Drift = driftList(lines)
	return changed, diags
}

// driftList is never null, so that a null list marks a state that was just imported.
func driftList(lines []string) types.List {
	values := make([]attr.Value, 0, len(lines))
	for _, line := range lines {
		values = append(values, types.StringValue(line))
	}
	return types.ListValueMust(types.StringType, values)
}
