// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"helm.sh/helm/v3/pkg/release"
	helmtime "helm.sh/helm/v3/pkg/time"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// repair puts back what was changed of a revision that is still the wanted one, from Helm's own
// record of it: no chart is fetched, no template run, and no new revision made.
func (r *run) repair(ctx context.Context) error {
	r.out.Revision = r.latest.Revision
	suspects, err := r.suspects(ctx, &r.out.Record)
	if err != nil {
		return err
	}
	wanted, _, err := r.wanted(ctx, r.want.Name, r.want.Owner, r.record.Revision, nil)
	if err != nil {
		return err
	}
	r.out.Images = images(slices.Collect(maps.Values(wanted)))
	for _, held := range r.record.Held {
		r.scopes.defined = append(r.scopes.defined, held.kind())
	}
	if len(suspects) > 0 {
		r.out.Touched = true
		if err := r.putBack(ctx, wanted, suspects); err != nil {
			return err
		}
	}
	r.out.State, r.out.Reason = InSync, fmt.Sprintf("revision %d stands as it was applied", r.latest.Revision)
	return nil
}

func (r *run) putBack(ctx context.Context, wanted map[string]*objects.Object, suspects []suspect) error {
	var touched []*objects.Object
	slices.SortStableFunc(suspects, func(a, b suspect) int { return first(a) - first(b) })
	for _, s := range suspects {
		want := wanted[s.held.ref()]
		if want == nil {
			return fmt.Errorf("%s cannot be put back: the record of revision %d is gone", s.held.ref(), r.record.Revision)
		}
		stamp, err := r.served(ctx, s.held.kind(), func() (kube.Stamp, error) {
			return r.take(ctx, s.held.kind(), fit(want, s.live))
		})
		if err != nil {
			return err
		}
		r.hold(s.held.kind(), stamp)
		if s.held.Kind != definitionKind {
			touched = append(touched, want)
		} else if err := r.awaitDefinitions(ctx, []*objects.Object{want}); err != nil {
			return err
		}
	}
	if r.want.NoWait {
		return nil
	}
	return r.settle(ctx, touched)
}

// first: definitions before what uses them.
func first(s suspect) int {
	if s.held.Kind == definitionKind {
		return 0
	}
	return 1
}

// rollback goes back to the last revision that stood, as a new revision.
func (r *run) rollback(ctx context.Context, failed *release.Release) error {
	back := *r.deployed
	back.Version = failed.Version + 1
	info := *r.deployed.Info
	back.Info = &info
	back.Info.LastDeployed = helmtime.Now()
	back.SetStatus(release.StatusPendingRollback, fmt.Sprintf("Going back to revision %d", r.deployed.Version))
	if err := r.store(ctx, &back, r.want.Owner, r.id); err != nil {
		return fmt.Errorf("go back to revision %d: %w", r.deployed.Version, err)
	}
	if err := r.restore(ctx, &back, failed); err != nil {
		back.SetStatus(release.StatusFailed, r.want.Mask.Text(err.Error()))
		return errors.Join(fmt.Errorf("go back to revision %d: %w", r.deployed.Version, err), r.update(ctx, &back, r.want.Owner))
	}
	r.deployed.Info.Status = release.StatusSuperseded
	if err := r.update(ctx, r.deployed, r.want.Owner); err != nil {
		return err
	}
	back.SetStatus(release.StatusDeployed, fmt.Sprintf("Rollback to %d", r.deployed.Version))
	r.out.Revision, r.out.Record.Revision, r.out.Record.Inputs = back.Version, back.Version, "" // not what is wanted
	return r.update(ctx, &back, r.want.Owner)
}

func (r *run) restore(ctx context.Context, back, failed *release.Release) error {
	all, err := r.manifest(ctx, back)
	if err != nil {
		return err
	}
	tried, err := r.manifest(ctx, failed)
	if err != nil {
		return err
	}
	r.previous = map[string]*objects.Object{}
	for _, object := range slices.Concat(all, tried) {
		r.previous[objects.Ref(object)] = object
	}
	before := maps.Clone(r.previous)
	r.out.Record.Held = nil
	for _, object := range all {
		if err := r.apply(ctx, object); err != nil {
			return err
		}
	}
	r.previous = before
	if err := r.removeUnwanted(ctx, all); err != nil {
		return err
	}
	return r.settle(ctx, all)
}
