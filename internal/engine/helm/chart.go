// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Where in a configuration the causes of errors stand.
var (
	atChart   = spec.Path{"chart"}
	atVersion = spec.Path{"chart", "version"}
	atDigest  = spec.Path{"chart", "digest"}
	atValues  = spec.Path{"values"}
)

// fetch finds the chart of a release and reads it.
func (e Engine) fetch(ctx context.Context, want Want) (*chart.Chart, chartstore.Chart, error) {
	if want.Own != nil {
		return builtin(want.Own)
	}
	c, found, err := e.open(ctx, want.Chart)
	var digest *chartstore.DigestError
	if errors.As(err, &digest) && !digest.Index {
		err = spec.At(atDigest, err)
	}
	return c, found, spec.At(atChart, err)
}

func (e Engine) open(ctx context.Context, source chartstore.Source) (*chart.Chart, chartstore.Chart, error) {
	found, err := e.Charts.Find(ctx, source)
	if err != nil {
		return nil, found, err
	}
	c, err := loader.Load(found.Path)
	if err != nil {
		return nil, found, fmt.Errorf("read the chart %s (from %s): %w", found.Path, found.Origin, err)
	}
	if c.Metadata.Type == "library" {
		return nil, found, fmt.Errorf("the chart %s is a library for other charts; it installs nothing", c.Name())
	}
	for _, dependency := range c.Metadata.Dependencies {
		if !holds(c, dependency.Name) && dependency.Condition == "" && len(dependency.Tags) == 0 {
			return nil, found, fmt.Errorf("the chart %s needs the chart %s, which is not packed with it. Run helm dependency update in its directory, and pack it again", c.Name(), dependency.Name)
		}
	}
	return c, found, nil
}

// builtin reads a chart that is part of this program.
func builtin(files fs.FS) (*chart.Chart, chartstore.Chart, error) {
	var read []*loader.BufferedFile
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		read = append(read, &loader.BufferedFile{Name: path, Data: data})
		fmt.Fprintf(sum, "%s %d\n%s\n", path, len(data), data)
		return err
	})
	if err != nil {
		return nil, chartstore.Chart{}, err
	}
	c, err := loader.LoadFiles(read)
	return c, chartstore.Chart{Digest: "sha256:" + hex.EncodeToString(sum.Sum(nil)), Origin: "built in"}, err
}

func holds(c *chart.Chart, name string) bool {
	for _, sub := range c.Dependencies() {
		if sub.Name() == name {
			return true
		}
	}
	return false
}

// capabilities is what templates may ask about the cluster.
func capabilities(api *kube.API) *chartutil.Capabilities {
	caps := chartutil.DefaultCapabilities.Copy()
	caps.APIVersions = chartutil.VersionSet(api.Versions)
	caps.KubeVersion = chartutil.KubeVersion{Version: api.Version.GitVersion, Major: api.Version.Major, Minor: api.Version.Minor}
	return caps
}

// lookup lets templates read objects of the cluster, as Helm's function of that name does. The
// SDK asks for a dynamic client; the two methods that it calls stand below.
type lookup struct {
	ctx     context.Context
	cluster *kube.Cluster
}

// GetClientFor returns a client for one kind, and whether it is namespaced.
func (l lookup) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	gvk := schema.FromAPIVersionAndKind(apiVersion, kind)
	found, known, err := l.cluster.KindFor(l.ctx, gvk)
	if err == nil && !known {
		err = fmt.Errorf("look up %s: the API server does not serve %s", kind, gvk)
	}
	return &looking{lookup: l, kind: found}, found.Namespaced, err
}

type looking struct {
	dynamic.NamespaceableResourceInterface // the methods that are never called
	lookup
	kind      kube.Kind
	namespace string
}

// Namespace narrows the client to one namespace.
func (l *looking) Namespace(namespace string) dynamic.ResourceInterface {
	return &looking{lookup: l.lookup, kind: l.kind, namespace: namespace}
}

// Get reads one object. The context is that of the run, so that an interrupt ends it.
func (l *looking) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*unstructured.Unstructured, error) {
	live, err := l.cluster.Whole(l.ctx, l.kind, l.namespace, name)
	if err == nil && live == nil {
		err = apierrors.NewNotFound(schema.GroupResource{Group: l.kind.Group, Resource: l.kind.Resource}, name)
	}
	return live, err
}

// List reads all objects of a kind.
func (l *looking) List(_ context.Context, _ metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	all, err := l.cluster.WholeOf(l.ctx, l.kind, kube.Query{Namespace: l.namespace})
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": l.kind.Kind + "List"}}
	for _, object := range all {
		list.Items = append(list.Items, *object)
	}
	return list, err
}
