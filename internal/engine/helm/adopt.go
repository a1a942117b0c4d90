// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"

	"helm.sh/helm/v3/pkg/release"

	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
)

// Adoption is what is known of a release that somebody else made.
type Adoption struct {
	ChartName, ChartVersion, AppVersion string
	// Values are those that were laid over the chart's own.
	Values map[string]any
	Images []string
	Ready  bool
	Reason string
	Record Record
}

// Adopt takes over a release as it stands, and changes nothing.
func (e Engine) Adopt(ctx context.Context, name Name) (a Adoption, err error) {
	latest, err := e.latestAfresh(ctx, name)
	if err != nil {
		return a, err
	}
	if latest == nil {
		return a, fmt.Errorf("the cluster has no %s", name)
	}
	stored, err := e.load(ctx, name, latest.Revision)
	if err != nil || stored == nil {
		return a, fmt.Errorf("read revision %d of %s: %w", latest.Revision, name, err)
	}
	a.ChartName, a.ChartVersion, a.AppVersion = stored.Chart.Name(), stored.Chart.Metadata.Version, stored.Chart.Metadata.AppVersion
	a.Values = stored.Config
	a.Ready, a.Reason = latest.Status == release.StatusDeployed, fmt.Sprintf("adopted: revision %d is %s", latest.Revision, latest.Status)
	if a.Record, err = e.adoptObjects(ctx, stored, &a); err != nil {
		return a, err
	}
	a.Record.Revision, a.Record.Adopted = latest.Revision, true
	a.Record.Inputs = Want{Values: Merge(stored.Config), Options: Options{CRDs: CRDsApply}}.Inputs(unpinned(stored.Chart.Name(), stored.Chart.Metadata.Version))
	return a, nil
}

// unpinned names a chart of which Helm recorded no digest.
func unpinned(name, version string) string { return name + "@" + version }

func (e Engine) adoptObjects(ctx context.Context, stored *release.Release, a *Adoption) (record Record, err error) {
	all, err := e.manifest(ctx, stored)
	if err != nil {
		return record, err
	}
	a.Images = images(all)
	api, err := e.Cluster.API(ctx)
	if err != nil {
		return record, err
	}
	scopes := scopes{api: api}
	for _, object := range all {
		kind, err := e.kindOf(ctx, scopes, object)
		if err != nil {
			return record, err
		}
		held := Held{
			APIVersion: object.GetAPIVersion(), Kind: kind.Kind, Resource: kind.Resource, Namespaced: kind.Namespaced,
			Namespace: object.GetNamespace(), Name: object.GetName(),
		}
		live, err := e.Cluster.Lookup(ctx, kind.Charted(), held.Namespace, held.Name)
		if err != nil {
			return record, err
		}
		// Without a print the object is compared field by field at the first look.
		if live != nil {
			held.UID = string(live.GetUID())
			_, held.Scaled = plan.Print(live)
		}
		record.Held = append(record.Held, held)
	}
	return record, nil
}
