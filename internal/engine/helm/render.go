// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// rendered is what a chart becomes with its values.
type rendered struct {
	Objects  []*objects.Object // in the order in which they are made
	Hooks    []*release.Hook
	CRDs     []*objects.Object // of the chart's crds folders
	Manifest string            // the objects as one text, as Helm keeps it
	Notes    string

	// again runs the templates once more, which shows what they make anew each time.
	again func() (rendered, error)
}

// at is the release for which a chart is rendered.
type at struct {
	Name
	Revision int
	Owner    objects.Owner
}

// render runs a chart's templates. kinds tells which kinds are namespaced.
func render(ctx context.Context, c *chart.Chart, values map[string]any, at at, api *kube.API, cluster *kube.Cluster) (rendered, error) {
	caps := capabilities(api)
	if want := c.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, caps.KubeVersion.String()) {
		return rendered{}, spec.At(atVersion, fmt.Errorf("the chart %s %s is for Kubernetes %s, and the cluster has %s. Choose a version that fits it",
			c.Name(), c.Metadata.Version, want, caps.KubeVersion.String()))
	}
	if err := chartutil.ProcessDependenciesWithMerge(c, values); err != nil {
		return rendered{}, fmt.Errorf("resolve the subcharts of %s: %w", c.Name(), err)
	}
	full, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{
		Name: at.Name.Name, Namespace: at.Namespace, Revision: at.Revision, IsInstall: at.Revision == 1, IsUpgrade: at.Revision > 1,
	}, caps)
	if err != nil {
		return rendered{}, spec.At(atValues, fmt.Errorf("apply the values to chart %s: %w", c.Name(), err))
	}
	run := func() (rendered, error) { return collect(ctx, c, full, at, api, cluster) }
	out, err := run()
	out.again = run
	return out, err
}

// collect runs the templates and reads what they made.
func collect(ctx context.Context, c *chart.Chart, values chartutil.Values, at at, api *kube.API, cluster *kube.Cluster) (rendered, error) {
	files, err := runTemplates(ctx, c, values, cluster)
	if err != nil {
		return rendered{}, atFault(fmt.Errorf("render chart %s: %w", c.Name(), err))
	}
	out := rendered{Notes: takeNotes(files, c.Name())}
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return rendered{}, fmt.Errorf("read what chart %s rendered: %w", c.Name(), err)
	}
	out.Hooks = hooks
	if out.CRDs, err = definitions(c); err != nil {
		return rendered{}, err
	}
	return out, out.dress(manifests, at, scopes{api: api, defined: defined(out.CRDs)})
}

// atFault puts an error of a template down to the values, unless the API server, which a
// template may ask, gave it.
func atFault(err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) || kube.IsUnreachable(err) {
		return err
	}
	return spec.At(atValues, err)
}

// runTemplates renders; without a cluster, templates that look something up find nothing.
func runTemplates(ctx context.Context, c *chart.Chart, values chartutil.Values, cluster *kube.Cluster) (map[string]string, error) {
	if cluster == nil {
		return engine.Render(c, values)
	}
	return engine.RenderWithClientProvider(c, values, lookup{ctx: ctx, cluster: cluster})
}

// takeNotes takes the chart's notes out of the rendered files.
func takeNotes(files map[string]string, name string) string {
	var notes string
	for path, text := range files {
		if strings.HasSuffix(path, "NOTES.txt") {
			if path == name+"/templates/NOTES.txt" {
				notes = text
			}
			delete(files, path)
		}
	}
	return notes
}
