// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package engine carries out a plan and, when a step fails, puts back what this run changed.
package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// rollbackLimit bounds the way back, which also has to be gone when the run was interrupted.
const rollbackLimit = 30 * time.Second

// Run is one pass over the objects of one resource. It remembers how to take each step back.
type Run struct {
	Cluster *kube.Cluster
	undo    []undo
}

type undo struct {
	what string
	do   func(context.Context) error
}

// Carry takes the steps in order and stops at the first that fails.
func (r *Run) Carry(ctx context.Context, steps []plan.Step) error {
	for _, step := range steps {
		if err := r.take(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Then takes a step that is not a write of an object, with its way back.
func (r *Run) Then(ctx context.Context, what string, do, back func(context.Context) error) error {
	r.undo = append(r.undo, undo{what, back}) // also a step that failed may have done half of it
	return do(ctx)
}

func (r *Run) take(ctx context.Context, step plan.Step) error {
	switch step.Verb {
	case plan.Create, plan.Apply:
		return r.apply(ctx, step)
	case plan.Replace:
		return r.replace(ctx, step)
	case plan.Release:
		r.onFailure("give back "+objects.Ref(step.Object), func(ctx context.Context) error { return r.recreate(ctx, step.Live) })
		return r.Cluster.Release(ctx, step.Object)
	case plan.Remove:
		r.onFailure("make again "+objects.Ref(step.Object), func(ctx context.Context) error { return r.recreate(ctx, step.Live) })
		return r.Cluster.Delete(ctx, step.Object)
	}
	return fmt.Errorf("no such step: %s", step.Verb)
}

func (r *Run) apply(ctx context.Context, step plan.Step) error {
	write := r.Cluster.Apply
	if step.Verb == plan.Create {
		write = r.Cluster.Introduce
	}
	live, created, err := write(ctx, step.Object)
	switch {
	case err != nil && step.Verb == plan.Create:
		// The answer may have been lost after the write was done.
		r.onFailure("delete "+objects.Ref(step.Object), func(ctx context.Context) error { return r.deleteOurs(ctx, step.Object) })
	case step.Verb == plan.Apply:
		r.onFailure("restore "+objects.Ref(step.Object), func(ctx context.Context) error { return r.restore(ctx, step) })
	case created:
		r.onFailure("delete "+objects.Ref(live), func(ctx context.Context) error { return r.Cluster.Delete(ctx, live) })
	default:
		// Another run made it since. The next apply tells whose it is.
	}
	if err != nil {
		return err
	}
	return kept(step.Object, live)
}

// restore puts back what an Apply step changed, if it did: the step may have been refused,
// and then the way back would be as well.
func (r *Run) restore(ctx context.Context, step plan.Step) error {
	kind, err := kube.KindOf(step.Object)
	if err != nil {
		return err
	}
	live, err := r.Cluster.Get(ctx, kind, step.Object.GetNamespace(), step.Object.GetName())
	if err != nil || (live != nil && live.GetResourceVersion() == step.Live.GetResourceVersion()) {
		return err
	}
	_, _, err = r.Cluster.Apply(ctx, plan.Undo(step))
	return err
}

// replace deletes an object and makes it again.
func (r *Run) replace(ctx context.Context, step plan.Step) error {
	if err := r.take(ctx, plan.Step{Verb: plan.Remove, Object: step.Live, Live: step.Live}); err != nil {
		return err
	}
	if err := r.Cluster.AwaitGone(ctx, step.Live); err != nil {
		return err
	}
	return r.take(ctx, plan.Step{Verb: plan.Create, Object: step.Object})
}

// kept says so when the API server stored something else than what was applied.
func kept(want, live *objects.Object) error {
	changes := plan.Diff(want, live)
	if len(changes) == 0 {
		return nil
	}
	lines := plan.Drift{Object: want, Live: live, Changes: changes}.Lines()
	return fmt.Errorf("the API server stored other values than those applied; look for a mutating admission webhook: %s", strings.Join(lines, "; "))
}

func (r *Run) onFailure(what string, do func(context.Context) error) {
	r.undo = append(r.undo, undo{what, do})
}

func (r *Run) deleteOurs(ctx context.Context, want *objects.Object) error {
	kind, err := kube.KindOf(want)
	if err != nil {
		return err
	}
	live, err := r.Cluster.Get(ctx, kind, want.GetNamespace(), want.GetName())
	if err != nil || live == nil {
		return err
	}
	theirs, _ := objects.OwnerOf(live.GetLabels())
	if ours, _ := objects.OwnerOf(want.GetLabels()); ours != theirs {
		return nil
	}
	return r.Cluster.Delete(ctx, live)
}

// recreate puts an object back that was removed. What a Secret held is not known to us.
func (r *Run) recreate(ctx context.Context, live *objects.Object) error {
	if live.GetKind() == "Secret" {
		return errors.New("its contents are not known; the next apply writes them")
	}
	_, _, err := r.Cluster.Apply(ctx, objects.Fresh(live))
	return err
}

// Rollback takes back what this run did, last first, and returns the cause together with
// whatever could not be taken back. It has its own time limit, so that it works after an
// interrupt.
func (r *Run) Rollback(ctx context.Context, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
	defer cancel()
	var left []string
	for _, step := range slices.Backward(r.undo) {
		if err := step.do(ctx); err != nil {
			left = append(left, fmt.Sprintf("could not %s: %v", step.what, err))
		}
	}
	r.undo = nil
	if len(left) == 0 {
		return cause
	}
	return errors.Join(cause, fmt.Errorf("what this run had done could not all be taken back:\n- %s\nThe next apply continues from here", strings.Join(left, "\n- ")))
}
