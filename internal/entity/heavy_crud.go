// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

func (h *heavy[M, P]) secrets(ctx context.Context, config tfsdk.Config, model *M) diag.Diagnostics {
	if h.of.Secrets == nil {
		return nil
	}
	return h.of.Secrets(ctx, config, model)
}

// IdentitySchema declares what names one.
func (h *heavy[M, P]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	attributes := map[string]identityschema.Attribute{}
	for name, text := range h.of.Identity {
		attributes[name] = identityschema.StringAttribute{RequiredForImport: true, Description: text}
	}
	resp.IdentitySchema = identityschema.Schema{Attributes: attributes}
}

// ImportState takes an id or an identity.
func (h *heavy[M, P]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	named := map[string]string{}
	if req.ID == "" && req.Identity != nil {
		for name := range h.of.Identity {
			var value types.String
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &value)...)
			named[name] = value.ValueString()
		}
	} else {
		var err error
		if named, err = h.of.Import(req.ID); err != nil {
			resp.Diagnostics.AddError(fmt.Sprintf("Unable to import %s %q", h.noun, req.ID), err.Error())
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	for name, value := range named {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
		if resp.Identity != nil {
			resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(name), value)...)
		}
	}
}

// Read brings state up to date. Only the API server's word that nothing stands removes it.
func (h *heavy[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model M
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	shared := P(&model).Shared()
	resp.Diagnostics.Append(h.identify(ctx, resp.Identity, &model)...)
	pin, diags := readPin(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	limit, diags := shared.Timeouts.Read(ctx, h.of.Limits.Read)
	resp.Diagnostics.Append(diags...)
	s := &Session{Hub: h.hub}
	resp.Diagnostics.Append(s.load(ctx, req.Private)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cluster, uid, err := h.connect(ctx, shared.Cluster, pin.UID)
	if err == nil {
		s.Cluster = cluster
		var gone bool
		if gone, err = h.of.Observe(ctx, s, &model); err == nil && gone {
			resp.State.RemoveResource(ctx)
			return
		}
	}
	if err != nil {
		resp.Diagnostics.Append(h.failed("read", P(&model).Label(), err)...)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	resp.Diagnostics.Append(s.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(pinned{UID: uid}.write(ctx, resp.Private)...)
}

// Create makes it, or goes on making what an earlier run began.
func (h *heavy[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(h.converge(ctx, change{
		verb: "create", plan: req.Plan, config: req.Config, state: &resp.State, identity: resp.Identity, private: resp.Private,
	})...)
}

// Update brings what stands to what is wanted.
func (h *heavy[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(h.converge(ctx, change{
		verb: "update", plan: req.Plan, config: req.Config, before: req.Private, state: &resp.State, identity: resp.Identity, private: resp.Private,
	})...)
}

// change is what a create and an update have in common. before is nil where nothing stood.
type change struct {
	verb     string
	plan     tfsdk.Plan
	config   tfsdk.Config
	before   keyGetter
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  keySetter
}

// converge reads the plan, applies it, and keeps what came of it.
func (h *heavy[M, P]) converge(ctx context.Context, c change) (diags diag.Diagnostics) {
	var model M
	diags.Append(c.plan.Get(ctx, &model)...)
	diags.Append(h.identify(ctx, c.identity, &model)...)
	diags.Append(h.secrets(ctx, c.config, &model)...)
	limitOf, standard := P(&model).Shared().Timeouts.Create, h.of.Limits.Create
	s, pin := &Session{Hub: h.hub}, pinned{}
	if c.before != nil {
		limitOf, standard = P(&model).Shared().Timeouts.Update, h.of.Limits.Update
		known, more := readPin(ctx, c.before)
		diags.Append(append(more, s.load(ctx, c.before)...)...)
		pin = known
	}
	limit, more := limitOf(ctx, standard)
	diags.Append(more...)
	if diags.HasError() {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	uid, keep, more := h.apply(ctx, s, &model, pin.UID, c.verb)
	diags.Append(more...)
	if keep {
		diags.Append(c.state.Set(ctx, &model)...)
		diags.Append(s.save(ctx, c.private)...)
		diags.Append(pinned{UID: uid}.write(ctx, c.private)...)
	}
	return diags
}

// apply is the one run behind create and update. A failure after the first write is a warning
// and a state that is not ready; one before it is an error that changes nothing.
func (h *heavy[M, P]) apply(ctx context.Context, s *Session, model *M, pin, verb string) (uid string, keep bool, diags diag.Diagnostics) {
	shared, label := P(model).Shared(), P(model).Label()
	cluster, uid, err := h.connect(ctx, shared.Cluster, pin)
	if err != nil {
		return "", false, h.failed(verb, label, err)
	}
	s.Cluster = cluster
	touched, err := h.of.Apply(ctx, s, model)
	shared.Drift = driftList(nil)
	switch {
	case err == nil:
		shared.Ready = types.BoolValue(true)
		return uid, true, nil
	case !touched:
		return "", false, h.failed(verb, label, err)
	}
	shared.Ready, shared.Status = types.BoolValue(false), types.StringValue(kube.Explain(err).Error())
	diags.AddWarning(fmt.Sprintf("%s %q is not ready", strings.ToUpper(h.noun[:1])+h.noun[1:], label),
		fmt.Sprintf("%v\n\nNothing was lost: what stands is in the state with ready = false, and the next apply goes on from there.", kube.Explain(err)))
	return uid, true, diags
}

// Delete removes what stands.
func (h *heavy[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model M
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	resp.Diagnostics.Append(h.protected(&model)...) // also where it would be replaced
	pin, diags := readPin(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	limit, diags := P(&model).Shared().Timeouts.Delete(ctx, h.of.Limits.Delete)
	resp.Diagnostics.Append(diags...)
	s := &Session{Hub: h.hub}
	resp.Diagnostics.Append(s.load(ctx, req.Private)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cluster, _, err := h.connect(ctx, P(&model).Shared().Cluster, pin.UID)
	if err != nil {
		resp.Diagnostics.Append(h.failed("delete", P(&model).Label(), err)...)
		return
	}
	s.Cluster = cluster
	kept, err := h.of.Remove(ctx, s, &model)
	if err != nil {
		resp.Diagnostics.Append(h.failed("delete", P(&model).Label(), errors.Join(err))...)
		return
	}
	if len(kept) > 0 {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Not everything of %s %q was deleted", h.noun, P(&model).Label()), strings.Join(kept, "\n"))
	}
}

func (h *heavy[M, P]) identify(ctx context.Context, to *tfsdk.ResourceIdentity, model *M) diag.Diagnostics {
	if to == nil {
		return nil
	}
	return to.Set(ctx, P(model).Identify())
}
