// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const imagesFolder = "images"

// maxManifest bounds a manifest; registries take 4 MiB as a rule.
const maxManifest = 16 << 20

// blobs is the content-addressed part of an OCI image layout.
type blobs string

func (f *folder) blobs() blobs { return blobs(filepath.Join(f.dir, imagesFolder, "blobs")) }

func (b blobs) path(digest v1.Hash) string {
	return filepath.Join(string(b), digest.Algorithm, digest.Hex)
}

// check reads a blob and says whether it is what its name says. A missing one is os.ErrNotExist.
func (b blobs) check(described v1.Descriptor) error {
	file, err := os.Open(b.path(described.Digest))
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return err
	}
	return compare(described, size, hash.Sum(nil))
}

func compare(described v1.Descriptor, size int64, sum []byte) error {
	if got := hex.EncodeToString(sum); described.Digest.Algorithm != "sha256" || got != described.Digest.Hex {
		return fmt.Errorf("it should have the digest %s, and has sha256:%s", described.Digest, got)
	}
	if size != described.Size {
		return fmt.Errorf("%s should have %d bytes, and has %d", described.Digest, described.Size, size)
	}
	return nil
}

// put writes a blob, which must be what is described.
func (b blobs) put(described v1.Descriptor, body io.Reader) error {
	return replace(b.path(described.Digest), func(file *os.File) error {
		hash := sha256.New()
		size, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(body, described.Size+1))
		if err != nil {
			return err
		}
		return compare(described, size, hash.Sum(nil))
	})
}

// read is a small blob, checked.
func (b blobs) read(described v1.Descriptor) ([]byte, error) {
	if described.Size > maxManifest {
		return nil, fmt.Errorf("the manifest %s has %d MiB", described.Digest, described.Size>>20)
	}
	text, err := os.ReadFile(b.path(described.Digest))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return text, compare(described, int64(len(text)), sum[:])
}

// isManifest says whether a blob refers to others.
func isManifest(kind types.MediaType) bool { return kind.IsIndex() || kind.IsImage() }

// children are the blobs that a manifest refers to. Layers that their licence keeps in one
// place are left there, as everybody does.
func children(kind types.MediaType, manifest []byte) ([]v1.Descriptor, error) {
	if kind.IsIndex() {
		index, err := v1.ParseIndexManifest(bytes.NewReader(manifest))
		if err != nil {
			return nil, fmt.Errorf("read an index of images: %w", err)
		}
		return index.Manifests, nil
	}
	image, err := v1.ParseManifest(bytes.NewReader(manifest))
	if err != nil {
		return nil, fmt.Errorf("read an image's manifest: %w", err)
	}
	below := []v1.Descriptor{image.Config}
	for _, layer := range image.Layers {
		if layer.MediaType.IsDistributable() {
			below = append(below, layer)
		}
	}
	return below, nil
}

// tree goes through a manifest and all below it, what is below first, so that a manifest
// is there only when all of it is. Load gives a manifest; visit gets every blob, with the
// text where it is a manifest.
type tree struct {
	load  func(v1.Descriptor) ([]byte, error)
	visit func(described v1.Descriptor, manifest []byte) error
}

// maxNesting ends indexes that hold indexes; the deepest in use is 2.
const maxNesting = 8

func (t tree) walk(root v1.Descriptor) error { return t.descend(root, 0) }

func (t tree) descend(described v1.Descriptor, depth int) error {
	if !isManifest(described.MediaType) {
		return t.visit(described, nil)
	}
	if depth > maxNesting {
		return fmt.Errorf("%s: indexes within indexes without end", described.Digest)
	}
	manifest, err := t.load(described)
	if err != nil {
		return err
	}
	below, err := children(described.MediaType, manifest)
	if err != nil {
		return err
	}
	for _, child := range below {
		if err := t.descend(child, depth+1); err != nil {
			return err
		}
	}
	return t.visit(described, manifest)
}
