// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// imagePull fetches one image, blob by blob. A blob that is there and whole is not fetched,
// whichever image it came with.
type imagePull struct {
	Pull
	puller  *remote.Puller
	blobs   blobs
	count   func(int64)
	fetched int // blobs
}

func (p *imagePull) run(ctx context.Context, folder *folder, image string) (string, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return "", err
	}
	root, err := p.resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	err = tree{
		load: func(described v1.Descriptor) ([]byte, error) { return p.manifest(ctx, ref.Context(), described) },
		visit: func(described v1.Descriptor, manifest []byte) error {
			return p.keep(ctx, ref.Context(), described, manifest)
		},
	}.walk(root)
	if err != nil {
		return "", err
	}
	outcome := fetched
	if p.fetched == 0 {
		outcome = present
	}
	return outcome, folder.setImage(imageRecord{Reference: image, Digest: root.Digest, MediaType: root.MediaType, Size: root.Size})
}

// resolve is the manifest that the reference stands for now, of the platform if one is
// chosen. A reference by digest is taken whole: a part of it would have another digest.
func (p *imagePull) resolve(ctx context.Context, ref name.Reference) (v1.Descriptor, error) {
	var root v1.Descriptor
	err := p.Small.Repeat(ctx, "look up "+ref.Name(), func(ctx context.Context, _ func()) error {
		described, err := p.puller.Head(ctx, ref)
		if err != nil { // some registries do not answer HEAD as they should
			var whole *remote.Descriptor
			if whole, err = p.puller.Get(ctx, ref); err != nil {
				return err
			}
			described = &whole.Descriptor
		}
		root = v1.Descriptor{MediaType: described.MediaType, Size: described.Size, Digest: described.Digest}
		return nil
	})
	_, byDigest := ref.(name.Digest)
	switch {
	case err != nil:
		return root, fetch.Explain(err)
	case !isManifest(root.MediaType):
		return root, fmt.Errorf("it is of a kind that is not known: %s", root.MediaType)
	case p.Platform == nil || byDigest || !root.MediaType.IsIndex():
		return root, nil
	}
	return p.choose(ctx, ref, root)
}

func (p *imagePull) choose(ctx context.Context, ref name.Reference, root v1.Descriptor) (v1.Descriptor, error) {
	text, err := p.manifest(ctx, ref.Context(), root)
	if err != nil {
		return root, err
	}
	below, err := children(root.MediaType, text)
	if err != nil {
		return root, err
	}
	for _, child := range below {
		if child.Platform != nil && child.Platform.Satisfies(*p.Platform) {
			return v1.Descriptor{MediaType: child.MediaType, Size: child.Size, Digest: child.Digest}, nil
		}
	}
	return root, fmt.Errorf("it is not made for %s", p.Platform)
}

// manifest is read from the folder, or fetched.
func (p *imagePull) manifest(ctx context.Context, repository name.Repository, described v1.Descriptor) ([]byte, error) {
	if text, err := p.blobs.read(described); err == nil {
		return text, nil
	}
	var text []byte
	err := p.Small.Repeat(ctx, "read "+repository.Name()+"@"+described.Digest.String(), func(ctx context.Context, _ func()) error {
		got, err := p.puller.Get(ctx, repository.Digest(described.Digest.String()))
		if err != nil {
			return err
		}
		text = got.Manifest
		return nil
	})
	return text, fetch.Explain(err)
}

// keep makes sure that a blob is in the folder.
func (p *imagePull) keep(ctx context.Context, repository name.Repository, described v1.Descriptor, manifest []byte) error {
	if p.blobs.check(described) == nil {
		return nil
	}
	p.fetched++
	if manifest != nil {
		p.count(described.Size)
		return p.blobs.put(described, bytes.NewReader(manifest))
	}
	return fetch.Explain(p.Large.Repeat(ctx, "fetch "+described.Digest.String(), func(ctx context.Context, alive func()) error {
		layer, err := p.puller.Layer(ctx, repository.Digest(described.Digest.String()))
		if err != nil {
			return err
		}
		body, err := layer.Compressed()
		if err != nil {
			return err
		}
		defer body.Close()
		return p.blobs.put(described, counted{fetch.Ticking{Reader: body, Alive: alive}, p.count})
	}))
}

// counted tells how much has been read.
type counted struct {
	io.Reader
	count func(int64)
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.count(int64(n))
	return n, err
}
