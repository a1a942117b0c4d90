// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// records is the kind of the Secrets in which Helm keeps releases: their metadata tells status
// and revision. Revisions that a later one has replaced are not listed, so that a list does not
// grow with history.
var records = kube.Kind{
	GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret"), Resource: "secrets", Namespaced: true,
	MetadataOnly: true, Selector: "owner=helm,status!=superseded",
}

// renewed is the annotation in which a run at work on a release gives signs of life.
const renewed = "trainyard.io/renewed"

// latest returns the newest revision of a release that is not superseded, or nil. All releases
// share one list.
func (e Engine) latest(ctx context.Context, name Name) (*entry, error) {
	all, forbidden, err := e.Cluster.Listed(ctx, records)
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", name, err)
	}
	if forbidden {
		return e.latestAfresh(ctx, name)
	}
	return newest(all, name), nil
}

// latestAfresh is latest past the shared list.
func (e Engine) latestAfresh(ctx context.Context, name Name) (*entry, error) {
	var all []*objects.Object
	query := kube.Query{Namespace: name.Namespace, Labels: records.Selector + ",name=" + name.Name}
	if err := e.Cluster.List(ctx, records, query, func(o *objects.Object) { all = append(all, o) }); err != nil {
		return nil, fmt.Errorf("look for %s: %w", name, err)
	}
	return newest(all, name), nil
}

func newest(all []*objects.Object, name Name) *entry {
	var found *entry
	for _, secret := range all {
		labels := secret.GetLabels()
		if secret.GetNamespace() != name.Namespace || labels["name"] != name.Name || labels["status"] == release.StatusSuperseded.String() {
			continue
		}
		if e := entryOf(secret); found == nil || e.Revision > found.Revision {
			found = &e
		}
	}
	return found
}

func entryOf(secret *objects.Object) entry {
	labels := secret.GetLabels()
	e := entry{Key: secret.GetName(), Status: release.Status(labels["status"]), Renewed: secret.GetAnnotations()[renewed], Run: secret.GetAnnotations()[runID]}
	e.Revision, _ = strconv.Atoi(labels["version"]) // 0 where somebody broke the label: never ours
	e.Owner, e.Ours = objects.OwnerOf(labels)
	e.Changed = secret.GetCreationTimestamp().Time
	for _, label := range []string{"createdAt", "modifiedAt"} {
		if seconds, err := strconv.ParseInt(labels[label], 10, 64); err == nil {
			e.Changed = time.Unix(seconds, 0)
		}
	}
	return e
}

// load reads one revision with all that it holds; nil where there is none.
func (e Engine) load(ctx context.Context, name Name, revision int) (*release.Release, error) {
	secret, err := e.Cluster.Whole(ctx, records, name.Namespace, keyOf(name.Name, revision))
	if err != nil || secret == nil {
		return nil, err
	}
	return unpack(secret)
}

// runID is the annotation that tells which run wrote a record first.
const runID = "trainyard.io/run"

// manifest are the objects of a revision, each with its namespace: one that the helm command
// wrote has none where the release's own is meant.
func (e Engine) manifest(ctx context.Context, stored *release.Release) ([]*objects.Object, error) {
	all, err := parse(stored.Manifest)
	if err != nil {
		return nil, fmt.Errorf("read revision %d of release %s/%s: %w", stored.Version, stored.Namespace, stored.Name, err)
	}
	for _, object := range all {
		if object.GetNamespace() != "" || object.GetLabels()[objects.LabelOwner] != "" {
			continue // dressed by us
		}
		kind, known, err := e.Cluster.KindFor(ctx, object.GroupVersionKind())
		if err != nil {
			return nil, err
		}
		if !known || kind.Namespaced {
			object.SetNamespace(stored.Namespace)
		}
	}
	return all, nil
}

// store writes a new revision; it is an error where that revision exists.
func (e Engine) store(ctx context.Context, r *release.Release, owner objects.Owner, id string) error {
	secret, err := pack(r, owner, time.Now())
	if err != nil {
		return err
	}
	secret.SetAnnotations(map[string]string{runID: id})
	return tooLarge(e.Cluster.Post(ctx, records, secret))
}

// update writes a revision again, with its new status.
func (e Engine) update(ctx context.Context, r *release.Release, owner objects.Owner) error {
	secret, err := pack(r, owner, r.Info.LastDeployed.Time)
	if err != nil {
		return err
	}
	return tooLarge(e.Cluster.Put(ctx, records, secret))
}

// tooLarge explains the limit that the API server has for one Secret.
func tooLarge(_ *objects.Object, err error) error {
	if err != nil && (strings.Contains(err.Error(), "Too long") || kube.IsTooLarge(err)) {
		return fmt.Errorf("%w\n\nHelm keeps the chart in one Secret, of which the API server takes 1 MiB. Leave files that no template needs out of the chart (.helmignore)", err)
	}
	return err
}

// history lists every revision of a release, the newest first.
func (e Engine) history(ctx context.Context, name Name) ([]entry, error) {
	var all []entry
	err := e.Cluster.List(ctx, records, kube.Query{Namespace: name.Namespace, Labels: "owner=helm,name=" + name.Name}, func(o *objects.Object) {
		all = append(all, entryOf(o))
	})
	return newestFirst(all), err
}

// forget removes every record of a release.
func (e Engine) forget(ctx context.Context, name Name) error {
	return e.Cluster.RemoveAll(ctx, records, kube.Query{Namespace: name.Namespace, Labels: "owner=helm,name=" + name.Name})
}
