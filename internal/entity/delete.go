// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// Delete makes the resource fit to go, removes its objects and waits until they are gone.
func (e *envelope[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model M
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	pin, diags := readPin(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	limit, diags := P(&model).Shared().Timeouts.Delete(ctx, e.kind.Limits.Delete)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	name := P(&model).Shared().Name.ValueString()
	cluster, _, err := e.connect(ctx, P(&model).Shared().Cluster, pin.UID)
	if err == nil {
		err = e.remove(ctx, cluster, name, &model)
	}
	if err != nil {
		resp.Diagnostics.Append(e.failed("delete", name, err)...)
	}
}

func (e *envelope[M, P]) remove(ctx context.Context, cluster *kube.Cluster, name string, model *M) error {
	owner := e.kind.owner(e.hub.Owner, name)
	want, diags := e.kind.Want(ctx, model, owner)
	if diags.HasError() {
		return diagnosticsError(diags)
	}
	have, err := engine.Observe(ctx, cluster, owner, e.kind.Objects, want)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		return nil
	}
	if e.kind.Vacate != nil {
		if err := e.kind.Vacate(ctx, cluster, model); err != nil {
			return err
		}
	}
	for _, object := range leaving(e.kind.Objects[0], have) {
		if err := removeOne(ctx, cluster, object); err != nil {
			return err
		}
	}
	return nil
}

func removeOne(ctx context.Context, cluster *kube.Cluster, object *objects.Object) error {
	if plan.Shared(object) {
		return cluster.Release(ctx, object)
	}
	if err := cluster.Delete(ctx, object); err != nil {
		return err
	}
	return cluster.AwaitGone(ctx, object)
}

// leaving orders what has to be deleted by us. What lies in a namespace goes with it, and
// asking for each object would only cost requests.
func leaving(root kube.Kind, have []*objects.Object) []*objects.Object {
	var list []*objects.Object
	for i := len(have) - 1; i >= 0; i-- {
		inside := root.Kind == kube.Namespace.Kind && have[i].GetNamespace() != "" && hasRoot(root, have[i].GetNamespace(), have)
		if !inside {
			list = append(list, have[i])
		}
	}
	return list
}

func hasRoot(kind kube.Kind, name string, have []*objects.Object) bool {
	for _, object := range have {
		if object.GroupVersionKind() == kind.GroupVersionKind && object.GetName() == name {
			return true
		}
	}
	return false
}
