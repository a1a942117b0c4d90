// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"helm.sh/helm/v3/pkg/release"
	helmtime "helm.sh/helm/v3/pkg/time"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Remove uninstalls a release: its hooks before, its webhooks (which would stand in the way of
// everything else once their pods are gone), the rest in the opposite order of its making, its
// hooks after, and Helm's records last, so that a removal that is cut off goes on where it was.
func (e Engine) Remove(ctx context.Context, want Want) (kept []string, err error) {
	r := &run{Engine: e, want: want}
	if r.latest, err = e.latest(ctx, want.Name); err != nil || r.latest == nil {
		return nil, err
	}
	if r.latest.Status.IsPending() {
		if err := r.unlock(ctx); err != nil {
			return nil, err
		}
	}
	api, err := e.Cluster.API(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.recall(ctx); err != nil {
		return nil, err
	}
	last, err := e.load(ctx, want.Name, r.latestRevision())
	if err != nil || last == nil {
		return nil, err
	}
	r.scopes = scopes{api: api}
	kept, err = r.remove(ctx, last)
	return kept, want.Mask.Error(err)
}

func (r *run) remove(ctx context.Context, last *release.Release) (kept []string, err error) {
	if last.Info.Status != release.StatusUninstalling {
		if err := r.hooks(ctx, last, release.HookPreDelete); err != nil {
			return nil, err
		}
		last.Info.Deleted = helmtime.Now()
		last.SetStatus(release.StatusUninstalling, "Trainyard removes it")
		if err := r.update(ctx, last, r.want.Owner); err != nil {
			return nil, err
		}
	}
	crds, err := definitions(last.Chart)
	if err != nil {
		return nil, err
	}
	if kept, err = r.clear(ctx, leaving(r.previous, crds)); err != nil {
		return kept, err
	}
	if err := r.hooks(ctx, last, release.HookPostDelete); err != nil {
		return kept, err
	}
	for _, line := range kept {
		tflog.Info(ctx, "Kept", map[string]any{"object": line})
	}
	return kept, r.forget(ctx, r.want.Name)
}

// clear deletes objects, and waits for those of one rank to be gone before it turns to the next:
// what an operator looks after goes while the operator lives.
func (r *run) clear(ctx context.Context, all []*objects.Object) (kept []string, err error) {
	var going []*objects.Object
	for i, object := range all {
		if i > 0 && leaveRank(object) != leaveRank(all[i-1]) {
			if err := r.awaitAllGone(ctx, going); err != nil {
				return kept, err
			}
			going = nil
		}
		if why := keeps(object, r.want.Lose); why != "" {
			kept = append(kept, objects.Ref(object)+": "+why)
			continue
		}
		live, err := r.delete(ctx, object)
		if err != nil {
			return kept, err
		}
		if live != nil {
			going = append(going, live)
		}
	}
	return kept, r.awaitAllGone(ctx, going)
}

func (r *run) awaitAllGone(ctx context.Context, going []*objects.Object) error {
	for _, live := range going {
		if err := r.awaitGone(ctx, live); err != nil {
			return err
		}
	}
	return nil
}

// leaving orders what is removed: webhooks and aggregated APIs first, then the opposite of the
// order in which it was made, definitions last.
func leaving(made map[string]*objects.Object, crds []*objects.Object) []*objects.Object {
	all := slices.Collect(maps.Values(made))
	slices.SortFunc(all, func(a, b *objects.Object) int {
		return cmp.Or(cmp.Compare(leaveRank(a), leaveRank(b)), cmp.Compare(objects.Ref(a), objects.Ref(b)))
	})
	return append(all, crds...)
}

// leaveRank: what stands in the way of others goes first, what others stand on goes last.
func leaveRank(object *objects.Object) int {
	switch object.GetKind() {
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicyBinding", "APIService":
		return 0
	case "Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job", "CronJob", "Pod":
		return 2
	case "Service", "ConfigMap", "Secret", "PersistentVolumeClaim":
		return 3
	case "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding":
		return 4
	case definitionKind:
		return 6
	case "Namespace":
		return 7
	}
	return 1 // objects of other kinds first, while what looks after them lives
}

// keeps says why an object stays when its release goes; "" where it goes too.
func keeps(object *objects.Object, lose Lose) string {
	switch {
	case object.GetAnnotations()["helm.sh/resource-policy"] == "keep":
		return "the chart says so"
	case object.GetKind() == definitionKind && !lose.CRDs:
		return "every object of its kind would go with it, and delete.crds is not set"
	case object.GetKind() == "PersistentVolumeClaim" && !lose.Volumes, object.GetKind() == "PersistentVolume" && !lose.Volumes:
		return "it holds data, and delete.volumes is not set"
	case object.GetKind() == "Namespace" && !lose.Volumes:
		return "what others have in it would go with it, and delete.volumes is not set"
	}
	return ""
}

// delete deletes what stands of an object and returns it; nil: nothing stands.
func (r *run) delete(ctx context.Context, object *objects.Object) (*objects.Object, error) {
	return r.deleteBy(ctx, object, func(kind kube.Kind) (*objects.Object, error) {
		return r.Cluster.Lookup(ctx, kind.Charted(), object.GetNamespace(), object.GetName())
	})
}

// deleteNow is delete past the shared lists.
func (r *run) deleteNow(ctx context.Context, object *objects.Object) (*objects.Object, error) {
	return r.deleteBy(ctx, object, func(kind kube.Kind) (*objects.Object, error) {
		return r.Cluster.Whole(ctx, kind, object.GetNamespace(), object.GetName())
	})
}

func (r *run) deleteBy(ctx context.Context, object *objects.Object, find func(kube.Kind) (*objects.Object, error)) (*objects.Object, error) {
	kind, known, err := r.Cluster.KindFor(ctx, object.GroupVersionKind())
	if err != nil || !known {
		return nil, err // its definition is gone, and the object with it
	}
	live, err := find(kind)
	if err != nil || live == nil {
		return nil, err
	}
	return live, r.Cluster.Remove(ctx, kind.Charted(), live)
}

func (r *run) awaitGone(ctx context.Context, gone *objects.Object) error {
	kind, known, err := r.Cluster.KindFor(ctx, gone.GroupVersionKind())
	if err != nil || !known {
		return err
	}
	woken := time.Now()
	return kube.Await(ctx, objects.Ref(gone)+" to be gone", func(ctx context.Context) (bool, string, error) {
		live, err := r.Cluster.Whole(ctx, kind, gone.GetNamespace(), gone.GetName())
		if err != nil {
			return false, err.Error(), err
		}
		if live == nil || live.GetUID() != gone.GetUID() {
			return true, "", nil
		}
		if live.GetKind() == definitionKind && time.Since(woken) > wakeAfter {
			woken = time.Now()
			r.wake(ctx, live)
		}
		return false, fmt.Sprintf("%s is still there, with the finalizers %v", objects.Ref(live), live.GetFinalizers()), nil
	})
}
