// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package trainingqueue is the resource trainyard_training_queue.
package trainingqueue

import (
	"context"

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

// against refuses a parent that is neither in the cluster nor planned before this queue, and
// doubts what the cluster cannot give.
func against(ctx context.Context, cluster *kube.Cluster, m *Model) (advice entity.Advice, err error) {
	q, _ := specOf(ctx, m)
	if advice.Refused, err = entity.QueueExists(ctx, cluster, spec.Path{"parent"}, q.Parent); err != nil {
		return advice, err
	}
	has, err := cluster.Allocatable(ctx)
	if err != nil || has == nil {
		return advice, err
	}
	advice.Doubtful = append(spec.BeyondCluster(spec.Path{"capability"}, q.Capability, has),
		spec.BeyondCluster(spec.Path{"guarantee"}, q.Guarantee, has)...)
	return advice, nil
}
