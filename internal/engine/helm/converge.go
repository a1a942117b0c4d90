// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	helmtime "helm.sh/helm/v3/pkg/time"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// lastWords is how long a run that failed or was interrupted may take to write down how it ended.
const lastWords = 8 * time.Second

// run is one pass over one release.
type run struct {
	Engine
	want   Want
	record Record
	latest *entry
	scopes scopes
	chart  *chart.Chart
	digest string

	previous map[string]*objects.Object // what earlier revisions made
	deployed *release.Release           // the last revision that stood
	id       string                     // tells the records of this run from those of others
	free     int                        // the first revision that is free, where it is not the next
	out      Outcome
}

// Converge brings a release to what is wanted, from whatever state it is in. The outcome is
// valid also where an error is returned: with Touched set, something was written.
func (e Engine) Converge(ctx context.Context, want Want, record Record) (Outcome, error) {
	r := &run{Engine: e, want: want, record: record, id: rand.Text(), out: Outcome{Record: record}}
	err := r.converge(ctx)
	if errors.Is(err, errTakenRevision) {
		r.out = Outcome{Record: record}
		err = r.release(ctx, r.chart, r.digest)
	}
	if err != nil {
		err = want.Mask.Error(err)
		if r.out.State == "" {
			r.out.State = Failed
		}
		r.out.Reason = err.Error()
	}
	return r.out, err
}

func (r *run) converge(ctx context.Context) (err error) {
	if r.latest, err = r.Engine.latest(ctx, r.want.Name); err != nil {
		return err
	}
	if r.latest != nil && r.latest.Status.IsPending() {
		if err := r.unlock(ctx); err != nil {
			r.out.State = Locked
			return err
		}
	}
	chart, found, err := r.fetch(ctx, r.want)
	if err != nil {
		return err
	}
	r.out.ChartVersion, r.out.AppVersion, r.out.Digest = chart.Metadata.Version, chart.Metadata.AppVersion, found.Digest
	state, reason := judge(finding{Latest: r.latest, Owner: r.want.Owner, Record: r.record, Inputs: r.want.inputsFor(r.record, chart, found.Digest)})
	switch state {
	case Unmanaged:
		r.out.State = Unmanaged
		return fmt.Errorf("%s exists: %s. Import it to take it over, or choose another name", r.want.Name, reason)
	case InSync:
		return r.repair(ctx)
	case Absent, OutOfSync, Failed, Locked, Leaving, Drifted:
	}
	r.chart, r.digest = chart, found.Digest
	return r.release(ctx, chart, found.Digest)
}

// release installs or upgrades: it writes a new revision and all that is in it.
func (r *run) release(ctx context.Context, c *chart.Chart, digest string) error {
	api, err := r.Cluster.API(ctx)
	if err != nil {
		return err
	}
	if err := r.recall(ctx); err != nil {
		return err
	}
	revision := max(r.latestRevision()+1, r.free)
	values := r.want.AllValues()
	made, err := render(ctx, c, values, at{Name: r.want.Name, Revision: revision, Owner: r.want.Owner}, api, r.Cluster)
	if err != nil {
		return err
	}
	r.scopes = scopes{api: api, defined: append(defined(made.CRDs), defined(made.Objects)...)}
	if r.want.CreateNamespace {
		if err := r.ensureNamespace(ctx); err != nil {
			return err
		}
	}
	now := helmtime.Now()
	next := &release.Release{
		Name: r.want.Name.Name, Namespace: r.want.Namespace, Version: revision, Chart: wholly(c), Config: r.want.AllValues(),
		Manifest: made.Manifest, Hooks: made.Hooks,
		Info: &release.Info{FirstDeployed: now, LastDeployed: now, Notes: made.Notes},
	}
	next.SetStatus(pendingStatus(revision, r.deployed), "Trainyard is at work")
	if r.deployed != nil {
		next.Info.FirstDeployed = r.deployed.Info.FirstDeployed
	}
	if err := r.claim(ctx, next); err != nil {
		return err
	}
	r.out.Touched, r.out.Revision = true, revision
	r.out.Record = Record{Revision: revision, Inputs: r.want.Inputs(digest), Secret: leaves(r.want.Secret)}
	r.out.Images = images(made.Objects)
	stop := r.renew(ctx, keyOf(next.Name, revision))
	carrying, cancel := r.share(ctx)
	err = r.carry(carrying, next, made)
	cancel()
	stop()
	if err != nil {
		return r.fail(ctx, next, err)
	}
	return r.finish(ctx, next)
}

func pendingStatus(revision int, deployed *release.Release) release.Status {
	if revision == 1 || deployed == nil {
		return release.StatusPendingInstall
	}
	return release.StatusPendingUpgrade
}

// share is the part of a run's time that an upgrade may take: where a failure is followed by a
// rollback, that needs some, too.
func (r *run) share(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited || !r.want.Rollback || r.deployed == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*2/3)
}

// errTakenRevision says that the number of a new revision is taken by one that is replaced:
// somebody deleted the records of those after it.
var errTakenRevision = errors.New("the revision is taken by an old one")

// claim writes the record of a new revision, which is the lock on the release.
func (r *run) claim(ctx context.Context, next *release.Release) error {
	err := r.store(ctx, next, r.want.Owner, r.id)
	switch {
	case kube.IsNotFound(err):
		return fmt.Errorf("the namespace %s does not exist. Create it first, or set create_namespace = true: %w", r.want.Namespace, err)
	case !kube.IsAlreadyExists(err):
		return err
	}
	all, errList := r.history(ctx, r.want.Name)
	if errList != nil || len(all) == 0 {
		return errors.Join(err, errList)
	}
	switch newest := all[0]; {
	case newest.Revision == next.Version && newest.Run == r.id:
		return nil // the answer to our own write was lost, and it was repeated
	case newest.Status == release.StatusSuperseded && r.free == 0:
		r.free = newest.Revision + 1
		return errTakenRevision
	}
	r.out.State = Locked
	return fmt.Errorf("%w: revision %d was written a moment ago. Run again", ErrLocked, next.Version)
}

func (r *run) latestRevision() int {
	if r.latest == nil {
		return 0
	}
	return r.latest.Revision
}

// recall reads what earlier revisions made: the last one, which may have failed halfway, and the
// last one that stood.
func (r *run) recall(ctx context.Context) error {
	r.previous = map[string]*objects.Object{}
	if r.latest == nil {
		return nil
	}
	last, err := r.load(ctx, r.want.Name, r.latest.Revision)
	if err != nil {
		return err
	}
	if last != nil && last.Info.Status != release.StatusDeployed {
		if r.deployed, err = r.lastDeployed(ctx); err != nil {
			return err
		}
	} else {
		r.deployed = last
	}
	for _, stored := range []*release.Release{r.deployed, last} {
		if stored == nil {
			continue
		}
		all, err := r.manifest(ctx, stored)
		if err != nil {
			return err
		}
		for _, object := range all {
			r.previous[objects.Ref(object)] = object
		}
	}
	if last != nil && last.Info.Status.IsPending() {
		last.SetStatus(release.StatusFailed, "Interrupted")
		return r.update(ctx, last, r.want.Owner)
	}
	return nil
}

func (r *run) lastDeployed(ctx context.Context) (*release.Release, error) {
	all, err := r.history(ctx, r.want.Name)
	if err != nil {
		return nil, err
	}
	for _, old := range all {
		if old.Status == release.StatusDeployed {
			return r.load(ctx, r.want.Name, old.Revision)
		}
	}
	return nil, nil
}

// finish writes down that the new revision stands and the one before does not any more.
func (r *run) finish(ctx context.Context, next *release.Release) error {
	if r.deployed != nil {
		r.deployed.Info.Status = release.StatusSuperseded
		if err := r.update(ctx, r.deployed, r.want.Owner); err != nil {
			return r.fail(ctx, next, err)
		}
	}
	next.SetStatus(release.StatusDeployed, "Complete")
	if err := r.update(ctx, next, r.want.Owner); err != nil {
		return r.fail(ctx, next, err)
	}
	r.out.State, r.out.Reason = InSync, fmt.Sprintf("revision %d stands as it was applied", next.Version)
	if next.Version > 1 {
		return r.prune(ctx)
	}
	return nil
}

// fail writes down that a revision failed, also after an interrupt, and goes back to the one
// before where that was asked for.
func (r *run) fail(ctx context.Context, next *release.Release, cause error) error {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	r.out.State = Failed
	next.SetStatus(release.StatusFailed, r.want.Mask.Text(cause.Error()))
	if err := r.update(last, next, r.want.Owner); err != nil {
		cause = errors.Join(cause, fmt.Errorf("and the release could not be marked as failed: %w. The next apply finds it pending and recovers it", err))
	} else if err := r.prune(last); err != nil {
		tflog.Warn(ctx, "Old revisions could not be removed", map[string]any{"release": r.want.String(), "cause": err.Error()})
	}
	if r.want.Rollback && r.deployed != nil && ctx.Err() == nil {
		return errors.Join(cause, r.rollback(ctx, next))
	}
	return cause
}
