// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"helm.sh/helm/v3/pkg/release"
)

// A run that is at work on a release renews its lock every few seconds; one that has not for
// the length of the lease is dead. Whoever waits counts by its own clock, because those of two
// machines may differ; a lock that is older than longDead by any clock is not waited for.
const (
	renewEvery = 5 * time.Second
	lease      = 15 * time.Second
	longDead   = 10 * time.Minute
)

// ErrLocked says that another run is at work on a release.
var ErrLocked = errors.New("another run is at work on it")

// unlock waits until a release that is pending can be worked on: the run that holds it ends, or
// turns out to be dead and to have been ours. What somebody else left is never touched.
func (r *run) unlock(ctx context.Context) error {
	held := r.latest
	if !held.Ours || held.Owner != r.want.Owner {
		return fmt.Errorf("%w: %s, %s ago\n\nWait until it ends. If it died, bring the release back with helm rollback, or delete the Secret %s in namespace %s",
			ErrLocked, lockText(*held), time.Since(held.Changed).Round(time.Second), held.Key, r.want.Namespace)
	}
	if time.Since(held.Changed) > longDead && held.Renewed == "" {
		return nil
	}
	for waited := time.Duration(0); waited < lease; waited += time.Second {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		now, err := r.latestAfresh(ctx, r.want.Name)
		if err != nil {
			return err
		}
		switch {
		case now == nil || now.Key != held.Key || !now.Status.IsPending():
			r.latest = now
			if now != nil && now.Status.IsPending() {
				return fmt.Errorf("%w: %s", ErrLocked, lockText(*now))
			}
			return nil
		case now.Renewed != held.Renewed:
			return fmt.Errorf("%w: %s, and it gave a sign of life at %s\n\nTwo runs of one configuration are going on at once. Wait until the other ends", ErrLocked, lockText(*held), now.Renewed)
		}
	}
	return nil
}

// renew gives signs of life for a release until the returned function is called.
func (r *run) renew(ctx context.Context, key string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(renewEvery):
			}
			// A sign that does not arrive is followed by the next; a dead API server ends the run itself.
			_ = r.Cluster.Annotate(ctx, records, r.want.Namespace, key, map[string]string{renewed: time.Now().UTC().Format(time.RFC3339)})
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func newestFirst(all []entry) []entry {
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(b.Revision, a.Revision) })
	return all
}

// prune removes the oldest revisions beyond those to be kept, and never one that is deployed.
func (r *run) prune(ctx context.Context) error {
	all, err := r.history(ctx, r.want.Name)
	if err != nil || len(all) <= r.want.History {
		return err
	}
	for _, old := range all[r.want.History:] {
		if old.Status == release.StatusDeployed {
			continue
		}
		if err := r.Cluster.RemoveNamed(ctx, records, r.want.Namespace, old.Key); err != nil {
			return err
		}
	}
	return nil
}
