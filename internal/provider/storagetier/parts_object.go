// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"errors"
	"strconv"

	"github.com/trainyard/terraform-provider-trainyard/internal/charts"
	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// objectParts: keys, then the server that reads them, then its buckets.
func objectParts(ctx context.Context, w *whole) error {
	given, there, err := w.model.object(ctx)
	if err != nil || !there {
		return err
	}
	w.given = given
	var needs []string
	if !given.AccessKey.IsNull() {
		w.Parts, needs = append(w.Parts, w.credentials(given)), append(needs, partCredentials)
	}
	switch given.Backend.ValueString() {
	case backendMinIO, backendSeaweedFS:
		server, err := w.server(ctx, given, needs)
		if err != nil {
			return err
		}
		w.Parts, needs = append(w.Parts, server), append(needs, partServer)
	case backendCeph:
		w.Parts, needs = append(w.Parts, w.user(given)), append(needs, partUser)
	}
	w.Parts = append(w.Parts, w.bucketsPart(given, needs))
	return nil
}

// credentials keep the keys in a Secret, so that they are at hand when no configuration is, and
// for jobs.
func (b builder) credentials(given objectModel) helm.Part {
	server := ""
	if backend := given.Backend.ValueString(); backend == backendMinIO || backend == backendSeaweedFS {
		server = backend
	}
	want := helm.Want{
		Name:  helm.Name{Namespace: given.Namespace.ValueString(), Name: b.release("s3")},
		Owner: b.owner(partCredentials), Own: charts.S3Credentials(), Options: b.options(),
		Values:  map[string]any{"name": b.secretName(), "accessKey": given.AccessKey.ValueString(), "server": server},
		Secrets: strconv.FormatInt(given.Revision.ValueInt64(), 10),
	}
	if key := b.model.secret.ValueString(); key != "" {
		want.Secret, want.Mask = map[string]any{"secretKey": key}, redact.Of(key)
	}
	return helm.Part{Engine: b.engine, Label: partCredentials, Want: want, At: spec.Path{"object"}}
}

// server is the chart of an S3 server in the cluster.
func (b builder) server(ctx context.Context, given objectModel, needs []string) (helm.Part, error) {
	asked := given.Server.or()
	values := chartvalues.MinIO(asked.spec(), b.secretName())
	if given.Backend.ValueString() == backendSeaweedFS {
		values = chartvalues.SeaweedFS(asked.spec(), b.secretName())
	}
	at := spec.Path{"object", "server"}
	part, err := release.Part{
		Label: partServer, After: needs, Catalog: given.Backend.ValueString(), Resource: holder, Holder: b.model.Name.ValueString(),
		Argument: asked.argument(given.Namespace), Values: values, Lose: b.options().Lose,
	}.For(ctx, b.hub, b.engine)
	part.At = at
	return part, spec.At(at, err)
}

// user is the account of the tier on the store of a Rook cluster. Rook answers with a Secret.
func (b builder) user(given objectModel) helm.Part {
	return helm.Part{
		Engine: b.engine, Label: partUser, At: spec.Path{"object", "rook"},
		Want: helm.Want{
			Name:  helm.Name{Namespace: given.Rook.Namespace.ValueString(), Name: b.release("user")},
			Owner: b.owner(partUser), Own: charts.CephObjectUser(), Options: b.options(),
			Values: map[string]any{"name": b.objectUser(), "store": given.Rook.Store.ValueString()},
		},
		Ready: func(ctx context.Context) (string, error) {
			_, err := b.connect(ctx, given)
			if errors.Is(err, errNoKeys) {
				return err.Error(), nil
			}
			return "", err
		},
	}
}
