// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// carry makes everything that a revision holds, in the order in which it is needed: the
// definitions, the hooks before, the objects, what is wanted no more, and the hooks after.
func (r *run) carry(ctx context.Context, next *release.Release, made rendered) error {
	before, after := release.HookPreInstall, release.HookPostInstall
	if r.deployed != nil {
		before, after = release.HookPreUpgrade, release.HookPostUpgrade
	}
	if err := r.define(ctx, made); err != nil {
		return err
	}
	if err := r.hooks(ctx, next, before); err != nil {
		return err
	}
	for _, object := range made.Objects {
		if object.GetKind() == definitionKind {
			continue // made already
		}
		if err := r.apply(ctx, object); err != nil {
			return err
		}
	}
	if err := r.removeUnwanted(ctx, made.Objects); err != nil {
		return err
	}
	if !r.want.NoWait {
		if err := r.settle(ctx, made.Objects); err != nil {
			return err
		}
	}
	return r.hooks(ctx, next, after)
}

// define makes the definitions of a chart, those in its templates too, and waits until they
// can be used.
func (r *run) define(ctx context.Context, made rendered) error {
	var awaited []*objects.Object
	if r.want.CRDs != CRDsSkip {
		for _, crd := range made.CRDs {
			if err := r.defineOne(ctx, crd); err != nil {
				return err
			}
			awaited = append(awaited, crd)
		}
	}
	for _, object := range made.Objects {
		if object.GetKind() != definitionKind {
			continue
		}
		if err := r.apply(ctx, object); err != nil {
			return err
		}
		awaited = append(awaited, object)
	}
	return r.awaitDefinitions(ctx, awaited)
}

// crdOwner marks the definitions of a crds folder. Several releases may bring the same one, so
// that it carries the name of none.
func crdOwner(owner objects.Owner) map[string]string {
	return map[string]string{
		objects.LabelManagedBy: objects.ManagedByHelm, objects.LabelOwner: owner.Owner, objects.LabelResource: "definition",
	}
}

func (r *run) defineOne(ctx context.Context, crd *objects.Object) error {
	crd = crd.DeepCopy()
	put(crd, "labels", crdOwner(r.want.Owner))
	if r.want.CRDs == CRDsOnce {
		live, err := r.Cluster.Lookup(ctx, definitionsKind.Charted(), "", crd.GetName())
		if err != nil || live != nil {
			return err
		}
	}
	stamp, err := r.Cluster.Impose(ctx, definitionsKind, crd)
	if err != nil {
		return err
	}
	r.hold(definitionsKind, stamp)
	return nil
}

func (r *run) awaitDefinitions(ctx context.Context, crds []*objects.Object) error {
	for _, crd := range crds {
		err := kube.Await(ctx, objects.Ref(crd)+" to be established", func(ctx context.Context) (bool, string, error) {
			live, err := r.Cluster.Whole(ctx, definitionsKind, "", crd.GetName())
			if err != nil || live == nil {
				return false, "it is not there", err
			}
			done, why := established(live)
			return done, why, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// apply makes one object. What no earlier revision made must not stand there as another's.
func (r *run) apply(ctx context.Context, object *objects.Object) error {
	kind, err := r.kindOf(ctx, r.scopes, object)
	if err != nil {
		return err
	}
	write := r.place
	if r.previous[objects.Ref(object)] != nil {
		write = r.impose
	}
	stamp, err := r.served(ctx, kind, func() (kube.Stamp, error) { return write(ctx, kind, object) })
	if err != nil {
		return err
	}
	r.hold(kind, stamp)
	return nil
}

// servedWithin is how long after its definition is established a kind may still be unknown to
// the API server that is asked.
const servedWithin = 15 * time.Second

// served writes an object, waiting for its kind to be served where this run has just defined it.
func (r *run) served(ctx context.Context, kind kube.Kind, write func() (kube.Stamp, error)) (kube.Stamp, error) {
	stamp, err := write()
	ours := slices.ContainsFunc(r.scopes.defined, func(k kube.Kind) bool { return k.GroupVersionKind == kind.GroupVersionKind })
	if !ours || !kube.IsNotServed(err) {
		return stamp, err
	}
	ctx, cancel := context.WithTimeout(ctx, servedWithin)
	defer cancel()
	err = kube.Await(ctx, kind.Kind+" to be served", func(context.Context) (bool, string, error) {
		var failure error
		if stamp, failure = write(); kube.IsNotServed(failure) {
			return false, failure.Error(), nil
		}
		return failure == nil, "", failure
	})
	return stamp, err
}

// impose takes an object back from whoever changed it, autoscalers aside.
func (r *run) impose(ctx context.Context, kind kube.Kind, object *objects.Object) (kube.Stamp, error) {
	if _, scales, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "replicas"); !scales {
		return r.take(ctx, kind, object)
	}
	live, err := r.Cluster.Lookup(ctx, kind.Charted(), object.GetNamespace(), object.GetName())
	if err != nil && !kube.IsNotServed(err) {
		return kube.Stamp{}, err
	}
	return r.take(ctx, kind, fit(object, live))
}

// take applies an object. What a Helm has written of it goes where we do not apply it.
func (r *run) take(ctx context.Context, kind kube.Kind, object *objects.Object) (kube.Stamp, error) {
	stamp, err := r.Cluster.Impose(ctx, kind, object)
	if err != nil {
		return stamp, err
	}
	managers := plan.HelmManagers(stamp.Live)
	if len(managers) == 0 {
		return stamp, nil
	}
	if err := r.Cluster.Inherit(ctx, kind, stamp.Live, managers); err != nil {
		return stamp, err
	}
	return r.Cluster.Impose(ctx, kind, object)
}

// place makes an object that should not stand yet. One that stands is taken where it says that
// it belongs to a release of this name: an earlier one left it, as Helm would find it too.
func (r *run) place(ctx context.Context, kind kube.Kind, object *objects.Object) (kube.Stamp, error) {
	stamp, err := r.Cluster.Place(ctx, kind, object)
	if !errors.Is(err, kube.ErrTaken) {
		return stamp, err
	}
	live, errRead := r.Cluster.Whole(ctx, kind, object.GetNamespace(), object.GetName())
	if errRead != nil || live == nil || !ofRelease(live, r.want) {
		return stamp, fmt.Errorf("%w\n\nDelete it, let the chart name its own otherwise, or give it the annotations %s and %s of this release to hand it over", err, releaseName, releaseNamespace)
	}
	return r.take(ctx, kind, fit(object, live))
}

// ofRelease says whether an object belongs to a release: by our labels or by Helm's annotations.
func ofRelease(live *objects.Object, want Want) bool {
	if owner, ours := objects.OwnerOf(live.GetLabels()); ours && owner.Resource != "definition" {
		return owner == want.Owner
	}
	for key, value := range releaseAnnotations(want.Name) {
		if live.GetAnnotations()[key] != value {
			return false
		}
	}
	return true
}

// hold remembers an object that was written.
func (r *run) hold(kind kube.Kind, stamp kube.Stamp) {
	text, scaled := plan.Print(stamp.Live)
	held := Held{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Resource: kind.Resource, Namespaced: kind.Namespaced,
		Namespace: stamp.Live.GetNamespace(), Name: stamp.Live.GetName(), UID: string(stamp.Live.GetUID()), Print: text, Scaled: scaled,
	}
	verb := "apply "
	if stamp.Created {
		verb = "create "
	}
	r.out.Changed = append(r.out.Changed, verb+held.ref())
	for i := range r.out.Record.Held {
		if r.out.Record.Held[i].ref() == held.ref() && r.out.Record.Held[i].APIVersion == held.APIVersion {
			r.out.Record.Held[i] = held
			return
		}
	}
	r.out.Record.Held = append(r.out.Record.Held, held)
}

// removeUnwanted deletes what earlier revisions made and this one does not want.
func (r *run) removeUnwanted(ctx context.Context, wanted []*objects.Object) error {
	left := maps.Clone(r.previous)
	for _, object := range wanted {
		delete(left, objects.Ref(object))
	}
	for _, ref := range slices.Sorted(maps.Keys(left)) {
		if keeps(left[ref], r.want.Lose) != "" {
			tflog.Info(ctx, "Kept", map[string]any{"object": ref, "why": keeps(left[ref], r.want.Lose)})
			continue
		}
		if _, err := r.delete(ctx, left[ref]); err != nil {
			return err
		}
		r.out.Changed = append(r.out.Changed, "delete "+ref)
	}
	return nil
}

// namespaceKind is made bare: a namespace outlives the releases in it.
var namespaceKind = kube.Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Namespace"), Resource: "namespaces"}

func (r *run) ensureNamespace(ctx context.Context) error {
	namespace := &objects.Object{}
	namespace.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})
	namespace.SetName(r.want.Namespace)
	_, err := r.Cluster.Impose(ctx, namespaceKind, namespace)
	return err
}
