// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"helm.sh/helm/v3/pkg/release"
	helmtime "helm.sh/helm/v3/pkg/time"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// hooks runs the hooks of an event by weight, each to its end before the next.
func (r *run) hooks(ctx context.Context, of *release.Release, event release.HookEvent) error {
	if r.want.SkipHooks {
		return nil
	}
	due := dueHooks(of.Hooks, event)
	for _, hook := range due {
		hook.LastRun = release.HookExecution{StartedAt: helmtime.Now(), Phase: release.HookPhaseRunning}
		err := r.hook(ctx, hook)
		hook.LastRun.CompletedAt = helmtime.Now()
		hook.LastRun.Phase = release.HookPhaseSucceeded
		if err != nil {
			hook.LastRun.Phase = release.HookPhaseFailed
			if slices.Contains(hook.DeletePolicies, release.HookFailed) {
				err = withCleanup(err, r.dropHook(ctx, hook))
			}
			return fmt.Errorf("%s hook %s (%s): %w", event, hook.Name, hook.Path, err)
		}
	}
	for _, hook := range slices.Backward(due) {
		if slices.Contains(hook.DeletePolicies, release.HookSucceeded) {
			if err := r.dropHook(ctx, hook); err != nil {
				return err
			}
		}
	}
	return nil
}

func withCleanup(err, cleanup error) error {
	if cleanup == nil {
		return err
	}
	return fmt.Errorf("%w; and it could not be deleted: %w", err, cleanup)
}

// dueHooks are the hooks of an event in the order in which they run. A hook that names no
// policy is deleted before it is made again, as Helm does.
func dueHooks(all []*release.Hook, event release.HookEvent) []*release.Hook {
	var due []*release.Hook
	for _, hook := range all {
		if slices.Contains(hook.Events, event) {
			if len(hook.DeletePolicies) == 0 {
				hook.DeletePolicies = []release.HookDeletePolicy{release.HookBeforeHookCreation}
			}
			due = append(due, hook)
		}
	}
	slices.SortStableFunc(due, func(a, b *release.Hook) int {
		return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.Name, b.Name))
	})
	return due
}

func (r *run) hook(ctx context.Context, hook *release.Hook) error {
	all, err := r.hookObjects(hook)
	if err != nil {
		return err
	}
	if slices.Contains(hook.DeletePolicies, release.HookBeforeHookCreation) {
		if err := r.dropHook(ctx, hook); err != nil {
			return err
		}
	}
	for _, object := range all {
		kind, err := r.kindOf(ctx, r.scopes, object)
		if err != nil {
			return err
		}
		if _, err := r.Cluster.Impose(ctx, kind, object); err != nil {
			return err
		}
	}
	for _, object := range all {
		if err := r.ended(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) hookObjects(hook *release.Hook) ([]*objects.Object, error) {
	all, err := parse(hook.Manifest)
	if err != nil {
		return nil, err
	}
	for _, object := range all {
		if object.GetNamespace() == "" && r.scopes.namespaced(object) {
			object.SetNamespace(r.want.Namespace)
		}
	}
	return all, nil
}

// dropHook deletes a hook's objects and waits until they are gone. Definitions stay.
func (r *run) dropHook(ctx context.Context, hook *release.Hook) error {
	all, err := r.hookObjects(hook)
	if err != nil {
		return err
	}
	for _, object := range all {
		if object.GetKind() == definitionKind {
			continue
		}
		live, err := r.deleteNow(ctx, object)
		if err != nil {
			return err
		}
		if live == nil {
			continue
		}
		if err := r.awaitGone(ctx, live); err != nil {
			return err
		}
	}
	return nil
}

// ended waits for a hook's Job or Pod to end well; other objects are done once they stand.
func (r *run) ended(ctx context.Context, object *objects.Object) error {
	if kind := object.GetKind(); kind != "Job" && kind != "Pod" {
		return nil
	}
	kind, err := r.kindOf(ctx, r.scopes, object)
	if err != nil {
		return err
	}
	return kube.Await(ctx, objects.Ref(object)+" to end", func(ctx context.Context) (bool, string, error) {
		live, err := r.Cluster.Whole(ctx, kind, object.GetNamespace(), object.GetName())
		switch {
		case err != nil:
			return false, err.Error(), err
		case live == nil:
			return true, "", nil // it deletes itself when it is done
		}
		return hasEnded(live)
	})
}
