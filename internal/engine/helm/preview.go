// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/version"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
)

// Preview is what an apply would do.
type Preview struct {
	State  State
	Reason string
	// Changes has one line for each object that is made or deleted, and for each field that changes.
	Changes []string
	// Digest, ChartVersion and AppVersion are those of the chart.
	Digest, ChartVersion, AppVersion string
	// Same: nothing would be done.
	Same bool
}

// rehearsalLimit bounds the rehearsal of one object: a webhook that does not answer must not
// hold up a plan.
const rehearsalLimit = 10 * time.Second

// Preview says what Converge would do. Every object that would be made or changed is rehearsed
// by the API server, so that what it would refuse fails the plan. drift is what the last look
// found.
//
// Terraform plans a resource once more when it applies it, and refuses another answer than the
// first. So nothing goes into the lines that may change in between: not whether a definition that
// several releases share is there already, nor what a template makes anew each time.
func (e Engine) Preview(ctx context.Context, want Want, record Record, drift []string) (Preview, error) {
	r := &run{Engine: e, want: want, record: record, out: Outcome{Record: record}}
	p, err := r.preview(ctx, drift)
	for i, line := range p.Changes {
		p.Changes[i] = want.Mask.Text(line)
	}
	return p, want.Mask.Error(err)
}

func (r *run) preview(ctx context.Context, drift []string) (p Preview, err error) {
	c, found, err := r.fetch(ctx, r.want)
	if err != nil {
		return p, err
	}
	p.Digest, p.ChartVersion, p.AppVersion = found.Digest, c.Metadata.Version, c.Metadata.AppVersion
	if r.latest, err = r.Engine.latest(ctx, r.want.Name); err != nil {
		return p, err
	}
	standing, err := r.Observe(ctx, r.want.Name, r.want.Owner, r.record)
	if err != nil {
		return p, err
	}
	p.State, p.Reason = judge(finding{
		Latest: r.latest, Owner: r.want.Owner, Record: r.record, Inputs: r.want.inputsFor(r.record, c, found.Digest), Drifted: len(standing.Drift),
	})
	if p.State == InSync && len(drift) > 0 {
		p.State = Drifted // it was, when the state was read
	}
	switch p.State {
	case InSync:
		p.Same = true
		return p, nil
	case Drifted:
		if len(drift) == 0 {
			drift = standing.Drift
		}
		p.Changes = repairs(drift)
		return p, nil
	case Unmanaged:
		return p, fmt.Errorf("%s exists: %s. Import it to take it over, or choose another name", r.want.Name, p.Reason)
	case Absent, OutOfSync, Locked, Failed, Leaving:
	}
	p.Changes, err = r.rehearse(ctx, c)
	return p, err
}

func repairs(drift []string) []string {
	lines := make([]string, 0, len(drift))
	for _, line := range drift {
		lines = append(lines, "repair "+line)
	}
	return lines
}

func (r *run) rehearse(ctx context.Context, c *chart.Chart) ([]string, error) {
	api, err := r.Cluster.API(ctx)
	if err != nil {
		return nil, err
	}
	before, err := r.recollect(ctx)
	if err != nil {
		return nil, err
	}
	revision := r.latestRevision() + 1
	made, err := render(ctx, c, r.want.AllValues(), at{Name: r.want.Name, Revision: revision, Owner: r.want.Owner}, api, r.Cluster)
	if err != nil {
		return nil, err
	}
	r.scopes = scopes{api: api, defined: append(defined(made.CRDs), defined(made.Objects)...)}
	lines := r.definitionLines(made.CRDs)
	fresh, err := anew(made)
	if err != nil {
		return nil, err
	}
	for _, object := range made.Objects {
		more, err := r.rehearseOne(ctx, object, fresh)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	for i, line := range lines {
		lines[i] = before.Text(line)
	}
	return append(append(lines, r.goings(made.Objects)...), r.hookLines(made.Hooks)...), nil
}

// recollect is recall without its writes. It returns what hides the secret values of before.
func (r *run) recollect(ctx context.Context) (before redact.Masker, err error) {
	if r.latest == nil {
		return before, nil
	}
	secret := slices.Concat(r.record.Secret, leaves(r.want.Secret))
	r.previous, before, err = r.wanted(ctx, r.want.Name, r.want.Owner, r.latest.Revision, secret)
	return before, err
}

// definitionLines are the definitions of a crds folder that are new or other than before.
func (r *run) definitionLines(crds []*objects.Object) (lines []string) {
	if r.want.CRDs == CRDsSkip {
		return nil
	}
	for _, crd := range crds {
		crd = crd.DeepCopy()
		put(crd, "labels", crdOwner(r.want.Owner))
		before := r.previous[objects.Ref(crd)]
		if r.record.Revision == 0 || before == nil || len(plan.Between(crd, before)) > 0 {
			lines = append(lines, "apply "+objects.Ref(crd))
		}
	}
	return lines
}

// rehearseOne asks the API server what would become of one object.
func (r *run) rehearseOne(ctx context.Context, object *objects.Object, fresh fresh) ([]string, error) {
	ref := objects.Ref(object)
	kind, known := r.scopes.find(object.GroupVersionKind())
	if _, served := r.scopes.api.Kind(object.GroupVersionKind()); !known || !served {
		return []string{"create " + ref}, nil // its definition comes first
	}
	ctx, cancel := context.WithTimeout(ctx, rehearsalLimit)
	defer cancel()
	would, created, err := r.Cluster.Rehearse(ctx, kind, object)
	switch {
	case err != nil && kube.IsUnreachable(err), err != nil && strings.Contains(err.Error(), "failed calling webhook"):
		return []string{"apply " + ref + " (could not be rehearsed: " + err.Error() + ")"}, nil
	case err != nil:
		return nil, fmt.Errorf("%s would be refused: %w", ref, err)
	case would == nil || created:
		return []string{"create " + ref}, nil
	}
	live, err := r.Cluster.Whole(ctx, kind, object.GetNamespace(), object.GetName())
	if err != nil || live == nil {
		return []string{"create " + ref}, err
	}
	if r.previous[ref] == nil && !ofRelease(live, r.want) {
		return nil, fmt.Errorf("%s: %w. Delete it, let the chart name its own otherwise, or give it the annotations %s and %s of this release to hand it over",
			ref, kube.ErrTaken, releaseName, releaseNamespace)
	}
	if r.record.Revision == 0 { // left by a run that was killed
		return []string{"create " + ref}, nil
	}
	if fitted := fit(object, live); fitted != object {
		if would, _, err = r.Cluster.Rehearse(ctx, kind, fitted); err != nil {
			return nil, err
		}
	}
	if len(plan.HelmManagers(live)) > 0 && r.previous[ref] != nil {
		drop(would.Object, r.previous[ref].Object, object.Object)
	}
	var lines []string
	for _, change := range plan.Between(would, live) {
		if fresh.has(ref, change.Path) {
			lines = append(lines, fmt.Sprintf("change %s: %s: made anew by the chart", ref, change.Path))
			continue
		}
		lines = append(lines, "change "+plan.ChangeLine(ref, change))
	}
	return lines, nil
}

// drop takes out of what an object would be whatever a Helm made and the new revision does not
// want: a rehearsal keeps it, because its owner is not ours yet (see take).
func drop(would, before, now map[string]any) {
	for key, value := range before {
		next, wanted := now[key]
		if !wanted {
			delete(would, key)
			continue
		}
		below, isMap := value.(map[string]any)
		in, ok := next.(map[string]any)
		level, there := would[key].(map[string]any)
		if isMap && ok && there {
			drop(level, below, in)
		}
	}
}

// goings are the objects that go.
func (r *run) goings(wanted []*objects.Object) (lines []string) {
	left := maps.Clone(r.previous)
	for _, object := range wanted {
		delete(left, objects.Ref(object))
	}
	for _, ref := range slices.Sorted(maps.Keys(left)) {
		switch why := keeps(left[ref], r.want.Lose); {
		case left[ref].GetKind() == definitionKind: // of the crds folder, which nobody takes away
		case why != "":
			lines = append(lines, fmt.Sprintf("keep %s (%s)", ref, why))
		default:
			lines = append(lines, "delete "+ref)
		}
	}
	return lines
}

func (r *run) hookLines(all []*release.Hook) (lines []string) {
	if r.want.SkipHooks {
		return nil
	}
	events := []release.HookEvent{release.HookPreInstall, release.HookPostInstall}
	if r.latest != nil && r.latest.Status == release.StatusDeployed {
		events = []release.HookEvent{release.HookPreUpgrade, release.HookPostUpgrade}
	}
	for _, event := range events {
		for _, hook := range dueHooks(all, event) {
			lines = append(lines, fmt.Sprintf("run %s %s (%s)", hook.Kind, hook.Name, event))
		}
	}
	return lines
}

// PreviewOffline says what an installation would make where the cluster cannot be asked: what
// the chart renders for a cluster of the version that the Helm SDK was built for.
func (e Engine) PreviewOffline(ctx context.Context, want Want) (p Preview, err error) {
	c, found, err := e.fetch(ctx, want)
	if err != nil {
		return p, err
	}
	p.State, p.Digest, p.ChartVersion, p.AppVersion = Absent, found.Digest, c.Metadata.Version, c.Metadata.AppVersion
	caps := chartutil.DefaultCapabilities
	api := kube.Assumed(version.Info{GitVersion: caps.KubeVersion.Version, Major: caps.KubeVersion.Major, Minor: caps.KubeVersion.Minor}, caps.APIVersions)
	made, err := render(ctx, c, want.AllValues(), at{Name: want.Name, Revision: 1, Owner: want.Owner}, api, nil)
	if err != nil {
		return p, want.Mask.Error(err)
	}
	for _, object := range slices.Concat(made.CRDs, made.Objects) {
		p.Changes = append(p.Changes, "create "+want.Mask.Text(objects.Ref(object)))
	}
	return p, nil
}
