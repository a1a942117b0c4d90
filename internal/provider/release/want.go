// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Source is where a chart comes from: the catalogue's word, overlaid with the configuration's.
func (c Chart) Source(entry *catalog.Chart) chartstore.Source {
	s := chartstore.Source{
		Repository: c.Repository.ValueString(), Registry: c.Registry.ValueString(), Path: c.Path.ValueString(),
		Name: c.Name.ValueString(), Version: c.Version.ValueString(), Digest: c.Digest.ValueString(),
	}
	if entry == nil || s.Path+s.Repository+s.Registry != "" {
		return s
	}
	listed := entry.Source
	if s.Version == "" || s.Version == listed.Version {
		s.Version = listed.Version
		if s.Digest == "" {
			s.Digest = listed.Digest
		}
	}
	s.Name = listed.Name
	if strings.HasPrefix(listed.Repository, "oci://") {
		s.Registry = listed.Repository
	} else {
		s.Repository = listed.Repository
	}
	return s
}

// Credentials are those that the provider has for the host of a chart; nil is none.
func Credentials(hub *connect.Hub, source chartstore.Source) *chartstore.Credentials {
	at, err := url.Parse(source.Repository + source.Registry)
	if err != nil || hub == nil {
		return nil
	}
	if found, ok := hub.ChartCredentials[at.Host]; ok {
		return &found
	}
	return nil
}

// Layers are the values that the catalogue has for a chart: Trainyard's own, and those that send
// images through the mirror.
func Layers(hub *connect.Hub, entry *catalog.Chart) (layers []map[string]any) {
	if entry == nil {
		return nil
	}
	layers = append(layers, entry.Defaults())
	if hub != nil && hub.ImageMirror != "" {
		layers = append(layers, entry.Mirrored(hub.ImageMirror))
	}
	return layers
}

// Part is a chart of the catalogue as a part of a resource.
type Part struct {
	// Label names it, After the parts that it needs.
	Label string
	After []string
	// Resource and Holder are the type and the name of the resource that it is a part of.
	Resource, Holder string
	// Catalog is the entry's name; Argument what the configuration changes of it.
	Catalog  string
	Argument Argument
	// Values are what the resource sets, between the catalogue's and the configuration's.
	Values map[string]any
	Lose   helm.Lose
}

// For lays out the release of a part on a cluster.
func (p Part) For(ctx context.Context, hub *connect.Hub, engine helm.Engine) (helm.Part, error) {
	entry, listed := catalog.ChartNamed(p.Catalog)
	if !listed {
		return helm.Part{}, fmt.Errorf("the catalogue has no chart %q", p.Catalog)
	}
	chart, diags := DecodeChart(ctx, p.Argument.Chart)
	if diags.HasError() {
		return helm.Part{}, fmt.Errorf("%s", diags[0].Detail())
	}
	given, isMap := Plain(p.Argument.Values).(map[string]any)
	if !isMap && Plain(p.Argument.Values) != nil {
		return helm.Part{}, spec.At(spec.Path{"values"}, fmt.Errorf("the values of %s are not an object", p.Label))
	}
	want := helm.Want{
		Name:    helm.Name{Namespace: cmp.Or(p.Argument.Namespace.ValueString(), entry.Namespace), Name: entry.Release},
		Owner:   Owner(hub, p.Resource, p.Holder, p.Label),
		Chart:   chart.Source(&entry),
		Values:  helm.Merge(append(Layers(hub, &entry), p.Values, given)...),
		Options: helm.Options{CreateNamespace: true, CRDs: helm.CRDsApply, History: 5, Lose: p.Lose},
	}
	want.Chart.Credentials = Credentials(hub, want.Chart)
	return helm.Part{Engine: engine, Label: p.Label, After: p.After, Want: want}, nil
}

// Owner labels the objects of a part of a resource.
func Owner(hub *connect.Hub, resource, holder, part string) objects.Owner {
	return objects.Owner{Owner: hub.Owner, Resource: resource, Name: spec.LabelText(holder + "." + part)}
}
