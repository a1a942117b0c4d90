// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
)

// Standing is what a look at a release found, without chart, templates or contents.
type Standing struct {
	State    State
	Reason   string
	Revision int
	// Status is Helm's own word for it.
	Status string
	// Drift has one line for each difference.
	Drift []string
	// Record is the record, with the prints of objects brought up to date that another writer
	// has touched without changing anything of ours.
	Record Record
}

// Observe looks at a release. It reads shared lists of metadata; only where an object seems to
// differ are Helm's record and the object itself read.
func (e Engine) Observe(ctx context.Context, name Name, owner objects.Owner, record Record) (Standing, error) {
	latest, err := e.latest(ctx, name)
	if err != nil || latest == nil {
		state, reason := judge(finding{Owner: owner, Record: record})
		return Standing{State: state, Reason: reason, Record: record}, err
	}
	standing := Standing{Revision: latest.Revision, Status: latest.Status.String(), Record: record}
	if latest.Revision != record.Revision && record.Revision > 0 && !latest.Status.IsPending() {
		standing.Drift = append(standing.Drift, fmt.Sprintf("%s: revision: %d -> %d (%s), by the helm command or another tool at %s",
			name, record.Revision, latest.Revision, latest.Status, stamp(latest.Changed)))
	}
	suspects, err := e.suspects(ctx, &standing.Record)
	if err != nil {
		return standing, err
	}
	if len(suspects) > 0 {
		lines, err := e.examine(ctx, name, owner, record, suspects)
		if err != nil {
			return standing, err
		}
		standing.Drift = append(standing.Drift, lines...)
	}
	standing.State, standing.Reason = judge(finding{Latest: latest, Owner: owner, Record: record, Drifted: len(standing.Drift)})
	return standing, nil
}

// suspect is an object whose print is not the one remembered.
type suspect struct {
	held *Held
	live *objects.Object // metadata; nil: gone
}

func (h Held) kind() kube.Kind {
	return kube.Kind{
		GroupVersionKind: schema.FromAPIVersionAndKind(h.APIVersion, h.Kind), Resource: h.Resource, Namespaced: h.Namespaced,
	}
}

func (h Held) ref() string {
	if h.Namespace == "" {
		return h.Kind + " " + h.Name
	}
	return h.Kind + " " + h.Namespace + "/" + h.Name
}

// suspects compares what stands of a release with what is remembered.
func (e Engine) suspects(ctx context.Context, record *Record) ([]suspect, error) {
	var found []suspect
	record.Held = append([]Held(nil), record.Held...)
	for i := range record.Held {
		held := &record.Held[i]
		live, err := e.Cluster.Lookup(ctx, held.kind().Charted(), held.Namespace, held.Name)
		switch {
		case kube.IsNotServed(err):
			if err := e.undefined(ctx, *held, err); err != nil {
				return nil, err
			}
			live = nil // its definition is gone, and the object with it
		case err != nil:
			return nil, err
		}
		if live == nil || altered(*held, live) {
			found = append(found, suspect{held: held, live: live})
		}
	}
	return found, nil
}

// undefined makes sure that the API server does not serve the kind of an object any more: a
// proxy in between may say so too.
func (e Engine) undefined(ctx context.Context, held Held, cause error) error {
	_, served, err := e.Cluster.KindFor(ctx, held.kind().GroupVersionKind)
	if err == nil && served {
		return cause
	}
	return err
}

func altered(held Held, live *objects.Object) bool {
	text, scaled := plan.Print(live)
	return text != held.Print || live.GetDeletionTimestamp() != nil || (held.Scaled && !scaled && !plan.Autoscaled(live))
}

// examine compares the suspects, field by field, with what our last revision says of them.
func (e Engine) examine(ctx context.Context, name Name, owner objects.Owner, record Record, suspects []suspect) ([]string, error) {
	wanted, mask, err := e.wanted(ctx, name, owner, record.Revision, record.Secret)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, s := range suspects {
		drift, err := e.compare(ctx, wanted[s.held.ref()], s)
		if err != nil {
			return nil, err
		}
		for _, line := range drift {
			lines = append(lines, mask.Text(line))
		}
	}
	return lines, nil
}

// wanted are the objects of a revision by their names; empty where the revision is gone. mask
// hides what its values have at the secret paths.
func (e Engine) wanted(ctx context.Context, name Name, owner objects.Owner, revision int, secret [][]string) (byRef map[string]*objects.Object, mask redact.Masker, err error) {
	byRef = map[string]*objects.Object{}
	stored, err := e.load(ctx, name, revision)
	if err != nil || stored == nil {
		return byRef, mask, err
	}
	mask = maskOf(stored.Config, secret)
	all, err := e.manifest(ctx, stored)
	if err != nil {
		return nil, mask, err
	}
	crds, err := definitions(stored.Chart)
	if err != nil {
		return nil, mask, err
	}
	for _, object := range crds {
		put(object, "labels", crdOwner(owner))
		byRef[objects.Ref(object)] = object
	}
	for _, object := range all {
		byRef[objects.Ref(object)] = object
	}
	return byRef, mask, nil
}

// compare says how one object differs from what is wanted. An object that differs in nothing
// that we own gets its new print.
func (e Engine) compare(ctx context.Context, want *objects.Object, s suspect) ([]string, error) {
	switch {
	case s.live == nil:
		return []string{s.held.ref() + ": deleted"}, nil
	case want == nil:
		return []string{s.held.ref() + ": changed, and the revision that says how it was is gone"}, nil
	}
	kind := s.held.kind()
	live, err := e.Cluster.Whole(ctx, kind, s.held.Namespace, s.held.Name)
	if err != nil || live == nil {
		return []string{s.held.ref() + ": deleted"}, err
	}
	if live.GetDeletionTimestamp() != nil {
		return plan.Drift{Object: want, Live: live}.Lines(), nil
	}
	would, _, err := e.Cluster.Rehearse(ctx, kind, fit(want, live))
	if err != nil || would == nil {
		return nil, err
	}
	drift := plan.Drift{Object: want, Live: live, Changes: plan.Between(would, live)}
	if len(drift.Changes) == 0 {
		s.held.Print, s.held.Scaled = plan.Print(live)
		s.held.UID = string(live.GetUID())
	}
	return drift.Lines(), nil
}

// fit takes out of an object what an autoscaler holds of it, so that we do not fight over it.
func fit(want, live *objects.Object) *objects.Object {
	if live == nil || !plan.Autoscaled(live) {
		return want
	}
	spec, ok := want.Object["spec"].(map[string]any)
	if !ok || spec["replicas"] == nil {
		return want
	}
	fitted := want.DeepCopy()
	unstructured.RemoveNestedField(fitted.Object, "spec", "replicas")
	return fitted
}
