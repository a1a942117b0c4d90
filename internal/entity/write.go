// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// Create adopts what a killed run of ours left, makes the rest, and takes back what it
// made when a part fails: a failed create leaves no state and no object.
func (e *envelope[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, P(&model).Shared().Name)...)
	resp.Diagnostics.Append(e.secrets(ctx, req.Config, &model)...)
	limit, diags := P(&model).Shared().Timeouts.Create(ctx, e.kind.Limits.Create)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	uid, diags := e.converge(ctx, &model, nil, "")
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	resp.Diagnostics.Append(pinned{UID: uid}.write(ctx, resp.Private)...)
}

// Update brings what stands to what is wanted, and puts back what it changed when a part fails.
func (e *envelope[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model, prior M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, P(&model).Shared().Name)...)
	resp.Diagnostics.Append(e.secrets(ctx, req.Config, &model)...)
	pin, diags := readPin(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	limit, diags := P(&model).Shared().Timeouts.Update(ctx, e.kind.Limits.Update)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	uid, diags := e.converge(ctx, &model, &prior, pin.UID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	resp.Diagnostics.Append(pinned{UID: uid}.write(ctx, resp.Private)...)
}

// converge is the one run behind create (prior nil) and update.
func (e *envelope[M, P]) converge(ctx context.Context, model, prior *M, pinned string) (uid string, diags diag.Diagnostics) {
	name := P(model).Shared().Name.ValueString()
	verb := "create"
	if prior != nil {
		verb = "update"
	}
	cluster, uid, err := e.connect(ctx, P(model).Shared().Cluster, pinned)
	if err != nil {
		return "", e.failed(verb, name, err)
	}
	owner := e.kind.owner(e.hub.Owner, name)
	goal := plan.Goal{}
	if goal.Want, diags = e.kind.Want(ctx, model, owner); diags.HasError() {
		return "", diags
	}
	if prior != nil {
		if goal.Prior, diags = e.kind.Want(ctx, prior, owner); diags.HasError() {
			return "", diags
		}
	}
	run := &engine.Run{Cluster: cluster}
	if err := e.carry(ctx, run, owner, goal, model); err != nil {
		return "", e.failed(verb, name, run.Rollback(ctx, err))
	}
	return uid, diags
}

func (e *envelope[M, P]) carry(ctx context.Context, run *engine.Run, owner objects.Owner, goal plan.Goal, model *M) (err error) {
	if goal.Have, err = e.standing(ctx, run.Cluster, owner, goal); err != nil {
		return err
	}
	if err := engine.CheckOwnership(owner, goal.Prior, goal.Have); err != nil {
		return err
	}
	if e.kind.Prepare != nil && len(goal.Have) > 0 {
		if err := e.kind.Prepare(ctx, run, model); err != nil {
			return err
		}
	}
	if err := run.Carry(ctx, plan.Steps(goal)); err != nil {
		return err
	}
	if e.kind.Settle == nil {
		return nil
	}
	return e.kind.Settle(ctx, run, model)
}

// standing observes; objects that are on their way out are waited for, because nothing can be
// made in a namespace that is being deleted.
func (e *envelope[M, P]) standing(ctx context.Context, cluster *kube.Cluster, owner objects.Owner, goal plan.Goal) ([]*objects.Object, error) {
	for {
		have, err := engine.Observe(ctx, cluster, owner, e.kind.Objects, slices.Concat(goal.Want, goal.Prior))
		if err != nil {
			return nil, err
		}
		leaving := false
		for _, object := range have {
			if object.GetDeletionTimestamp() == nil {
				continue
			}
			leaving = true
			if err := cluster.AwaitGone(ctx, object); err != nil {
				return nil, err
			}
		}
		if !leaving {
			return have, nil
		}
	}
}
