// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"

	"github.com/trainyard/terraform-provider-trainyard/internal/charts"
	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/s3"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// The parts of tiers.
const (
	partClasses     = "storage-classes"
	partBuckets     = "buckets"
	partVolumes     = "local-volumes"
	partOperator    = "rook-operator"
	partCeph        = "ceph"
	partDriver      = "csi-driver"
	partCredentials = "credentials"
	partServer      = "server"
	partUser        = "object-user"
)

// purposeCache is what a cache tier has its class for.
const purposeCache = "cache"

// builder makes the parts of one tier.
type builder struct {
	hub    *connect.Hub
	engine helm.Engine
	model  *Model
	lose   bool
	// classes are those of the tier by purpose, under their names.
	classes map[string]spec.StorageClass
	record  classesRecord
}

// whole is a tier's parts, and what the outputs are made from.
type whole struct {
	release.Assembled
	builder
	given objectModel
}

// assemble lays out the parts of a tier.
func assemble(ctx context.Context, s *entity.Session, m *Model) (w whole, err error) {
	w.builder = builder{hub: s.Hub, engine: helm.Engine{Cluster: s.Cluster, Charts: s.Hub.Charts}, model: m, lose: m.loses(ctx)}
	if err := w.Load(s); err != nil {
		return w, err
	}
	if w.record, err = readClasses(w.Records.Of(partClasses).Record); err != nil {
		return w, err
	}
	claimed, err := m.claimed(ctx)
	if err != nil {
		return w, err
	}
	w.classes = spec.NameClasses(claimed, w.record.Kept)
	w.Retired = w.retired
	for _, add := range []func(context.Context, *whole) error{cacheParts, sharedParts, objectParts} {
		if err := add(ctx, &w); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (b builder) owner(part string) objects.Owner {
	return release.Owner(b.hub, holder, b.model.Name.ValueString(), part)
}

// retired is a part of an earlier configuration, which is only removed.
func (b builder) retired(name string) assembly.Part {
	switch name {
	case partClasses:
		return b.classesPart()
	case partVolumes, partOperator, partCeph, partDriver, partCredentials, partServer, partUser:
		return helm.Part{Engine: b.engine, Label: name, Want: helm.Want{Owner: b.owner(name)}}
	}
	return nil
}

func (b builder) classesPart(needs ...string) *classes {
	return &classes{cluster: b.engine.Cluster, owner: b.owner(partClasses), want: b.classes, needs: needs, lose: b.lose}
}

// options are those of every release; lose: its volumes may go with it.
func (b builder) options() helm.Options {
	return helm.Options{CreateNamespace: true, CRDs: helm.CRDsApply, History: 5, Lose: helm.Lose{Volumes: b.lose}}
}

// cacheParts: the class is made before what makes its volumes, and removed after it, when the
// volumes that nobody claimed can go.
func cacheParts(ctx context.Context, w *whole) error {
	var given cacheModel
	there, err := decode(ctx, w.model.Cache, &given)
	if err != nil || !there {
		return err
	}
	values := chartvalues.LocalVolumes(given.spec(), w.classes[purposeCache].Name)
	w.Parts = append(w.Parts, w.classesPart(), helm.Part{
		Engine: w.engine, Label: partVolumes, After: []string{partClasses}, At: spec.Path{"cache"},
		Want: helm.Want{
			Name:  helm.Name{Namespace: given.Namespace.ValueString(), Name: w.release("cache")},
			Owner: w.owner(partVolumes), Own: charts.LocalVolumes(), Values: values, Options: w.options(),
		},
	})
	return nil
}

// release is the name of a release of our own charts.
func (b builder) release(what string) string {
	return "trainyard-" + what + "-" + b.model.Name.ValueString()
}

func (b builder) secretName() string { return b.model.Name.ValueString() + "-s3" }

func (b builder) objectUser() string { return "trainyard-" + b.model.Name.ValueString() }

// bucketsPart are the buckets, which need their server and its keys.
func (w *whole) bucketsPart(given objectModel, needs []string) *buckets {
	adopt := map[string]bool{}
	for key, bucket := range given.Buckets {
		adopt[key] = bucket.Adopt.ValueBool()
	}
	return &buckets{
		open: func(ctx context.Context) (*s3.Server, error) { return w.connect(ctx, given) },
		want: given.buckets(), adopt: adopt, owner: w.hub.Owner + "/" + w.model.Name.ValueString(), needs: needs, lose: w.lose,
		later: given.Backend.ValueString() != backendOutside && len(w.Records.Of(partBuckets).Record) == 0,
	}
}
