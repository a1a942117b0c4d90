// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// image loads an image, once the whole of it has been checked.
func (t *target) image(ctx context.Context, image imageRecord, count func(int64)) (string, error) {
	reference, err := catalog.MirrorImage(t.Images, image.Reference)
	if err != nil {
		return "", err
	}
	// A reference may have a tag, a digest or both; a registry takes one at a time.
	named, _, _ := strings.Cut(reference, "@")
	ref, err := name.ParseReference(named)
	if err != nil {
		return "", err
	}
	if !strings.Contains(filepath.Base(named), ":") {
		ref = ref.Context().Digest(image.Digest.String())
	}
	if t.has(ctx, ref, image.Digest) {
		return present, nil
	}
	blobs := t.folder.blobs()
	verify := tree{load: blobs.read, visit: func(described v1.Descriptor, _ []byte) error { return blobs.check(described) }}
	if err := verify.walk(image.descriptor()); err != nil {
		return "", refused(err)
	}
	load := tree{load: blobs.read, visit: func(described v1.Descriptor, manifest []byte) error {
		if manifest != nil {
			return t.put(ctx, ref.Context().Digest(described.Digest.String()), manifest, described.MediaType)
		}
		return t.upload(ctx, ref, fileBlob{blobs.path(described.Digest), described}, count)
	}}
	if err := load.walk(image.descriptor()); err != nil {
		return "", err
	}
	manifest, err := blobs.read(image.descriptor())
	if err != nil {
		return "", refused(err)
	}
	return loaded, t.put(ctx, ref, manifest, image.MediaType)
}

func refused(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the folder lacks a part of it (%w). Run trainyard mirror pull again", err)
	}
	return fmt.Errorf("the folder's content was changed or damaged: %w. Run trainyard mirror pull again", err)
}

func (t *target) upload(ctx context.Context, ref name.Reference, blob partial.CompressedLayer, count func(int64)) error {
	layer, err := partial.CompressedToLayer(countedBlob{blob, count})
	if err != nil {
		return err
	}
	return fetch.Explain(t.pusher.Upload(ctx, ref.Context(), layer))
}

func (t *target) put(ctx context.Context, ref name.Reference, manifest []byte, kind types.MediaType) error {
	return fetch.Explain(t.pusher.Put(ctx, ref, rawManifest{manifest, kind}))
}

// countedBlob counts what is read of a blob.
type countedBlob struct {
	partial.CompressedLayer
	count func(int64)
}

func (b countedBlob) Compressed() (io.ReadCloser, error) {
	body, err := b.CompressedLayer.Compressed()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{counted{body, b.count}, body}, nil
}
