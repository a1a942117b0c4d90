// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
	"github.com/trainyard/terraform-provider-trainyard/internal/progress"
)

// Push is how a folder is loaded into registries.
type Push struct {
	// Charts is where charts go (oci://host/path), Images where images go (host/path).
	Charts, Images string
	// Keychain holds the credentials of both; nil is none.
	Keychain authn.Keychain
}

// Contents are what a folder holds.
func Contents(dir string) (Need, error) {
	folder, err := openFolder(dir)
	if err != nil {
		return Need{}, err
	}
	var need Need
	for _, chart := range folder.record.Charts {
		need.Charts = append(need.Charts, chart.source())
	}
	for _, image := range folder.record.Images {
		need.Images = append(need.Images, image.Reference)
	}
	if need.Jobs() == 0 {
		return Need{}, fmt.Errorf("%s holds no mirror. Fill it with trainyard mirror pull", dir)
	}
	return need, need.settle()
}

// From loads everything in the folder and tells the bar. What is there is left as it is, and
// what in the folder has not the digest of its record is refused. Its error is a *Failures
// where some could not be loaded.
func (p Push) From(ctx context.Context, dir string, bar *progress.Bar) error {
	folder, err := openFolder(dir)
	if err != nil {
		return err
	}
	// The registry's client repeats uploads by itself: only it knows where they stand.
	options := []remote.Option{authenticated(p.Keychain), remote.WithTransport(fetch.Guard(remote.DefaultTransport))}
	pusher, err := remote.NewPusher(options...)
	if err != nil {
		return err
	}
	puller, err := remote.NewPuller(options...)
	if err != nil {
		return err
	}
	target := &target{Push: p, pusher: pusher, puller: puller, folder: folder}
	var jobs []job
	for _, chart := range folder.record.Charts {
		jobs = append(jobs, job{chart.source().String(), func(ctx context.Context, count func(int64)) (string, error) {
			return target.chart(ctx, chart, count)
		}})
	}
	for _, image := range folder.record.Images {
		jobs = append(jobs, job{"image " + image.Reference, func(ctx context.Context, count func(int64)) (string, error) {
			return target.image(ctx, image, count)
		}})
	}
	return carry(ctx, bar, jobs)
}

// target is what a folder is loaded into.
type target struct {
	Push
	pusher *remote.Pusher
	puller *remote.Puller
	folder *folder
}

func (t *target) chart(ctx context.Context, chart chartRecord, count func(int64)) (string, error) {
	path := filepath.Join(t.folder.dir, filepath.FromSlash(chart.File))
	if err := checkFile(path, chart.Digest); err != nil {
		return "", err
	}
	archive, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	artifact, err := chartstore.NewArtifact(archive)
	if err != nil {
		return "", err
	}
	reference, err := chartstore.MirrorReference(t.Charts, chart.source())
	if err != nil {
		return "", err
	}
	ref, err := name.ParseReference(reference)
	if err != nil {
		return "", err
	}
	root, err := partial.Descriptor(rawManifest{artifact.Manifest, types.OCIManifestSchema1})
	if err != nil {
		return "", err
	}
	if t.has(ctx, ref, root.Digest) {
		return present, nil
	}
	for _, blob := range []rawBlob{{artifact.Config, chartstore.ConfigMediaType}, {artifact.Archive, chartstore.ArchiveMediaType}} {
		if err := t.upload(ctx, ref, blob, count); err != nil {
			return "", err
		}
	}
	return loaded, t.put(ctx, ref, artifact.Manifest, types.OCIManifestSchema1)
}

// has says whether the registry has the very manifest under the reference.
func (t *target) has(ctx context.Context, ref name.Reference, digest v1.Hash) bool {
	there, err := t.puller.Head(ctx, ref)
	return err == nil && there.Digest == digest
}
