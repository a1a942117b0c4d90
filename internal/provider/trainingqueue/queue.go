// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package trainingqueue is the resource trainyard_training_queue.
package trainingqueue

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// New returns the resource.
func New() resource.Resource {
	return entity.New[Model](entity.Kind[Model]{
		Type: "training_queue", Noun: "queue",
		Objects: []kube.Kind{kube.Queue, kube.PriorityClass},
		Schema:  schemaOf,
		Check:   check,
		Want:    want,
		Fold:    fold,
		Against: against,
		Drift:   stateDrift,
		Prepare: prepare,
		Settle:  settle,
		Vacate:  vacate,
	})
}

func check(ctx context.Context, m *Model) (spec.Violations, diag.Diagnostics) {
	q, diags := specOf(ctx, m)
	return q.Validate(), diags
}

func want(ctx context.Context, m *Model, owner objects.Owner) ([]*objects.Object, diag.Diagnostics) {
	q, diags := specOf(ctx, m)
	return objects.Queue(q, owner), diags
}

// against refuses a parent that is neither in the cluster nor planned before this queue.
func against(ctx context.Context, cluster *kube.Cluster, m *Model) (violations spec.Violations, err error) {
	parent := m.Parent.ValueString()
	if parent == "" || cluster.Expected(kube.Queue, parent) {
		return nil, nil
	}
	found, err := cluster.Lookup(ctx, kube.Queue, "", parent)
	if err != nil || found != nil {
		return nil, err
	}
	violations.Add(spec.Path{"parent"},
		fmt.Sprintf("Name a queue that exists. If the same configuration makes it, refer to it (trainyard_training_queue.NAME.name) instead of writing %q, so that it comes first", parent),
		"there is no queue %q", parent)
	return violations, nil
}
