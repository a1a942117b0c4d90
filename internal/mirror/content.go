// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

// rawBlob is a blob in memory, as a registry's client takes it.
type rawBlob struct {
	content []byte
	kind    types.MediaType
}

func (b rawBlob) Digest() (v1.Hash, error) {
	digest, _, err := v1.SHA256(bytes.NewReader(b.content))
	return digest, err
}

func (b rawBlob) Compressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b.content)), nil
}
func (b rawBlob) Size() (int64, error)                { return int64(len(b.content)), nil }
func (b rawBlob) MediaType() (types.MediaType, error) { return b.kind, nil }

// fileBlob is a blob in a folder that has been checked.
type fileBlob struct {
	path      string
	described v1.Descriptor
}

func (b fileBlob) Digest() (v1.Hash, error)            { return b.described.Digest, nil }
func (b fileBlob) Compressed() (io.ReadCloser, error)  { return os.Open(b.path) }
func (b fileBlob) Size() (int64, error)                { return b.described.Size, nil }
func (b fileBlob) MediaType() (types.MediaType, error) { return b.described.MediaType, nil }

// rawManifest is a manifest as it stands, so that its digest stays.
type rawManifest struct {
	text []byte
	kind types.MediaType
}

func (m rawManifest) RawManifest() ([]byte, error)        { return m.text, nil }
func (m rawManifest) MediaType() (types.MediaType, error) { return m.kind, nil }
func (m rawManifest) Size() (int64, error)                { return int64(len(m.text)), nil }
func (m rawManifest) Digest() (v1.Hash, error) {
	digest, _, err := v1.SHA256(bytes.NewReader(m.text))
	return digest, err
}

// checkFile says whether a file has the digest.
func checkFile(path, digest string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return refused(err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return err
	}
	if got := "sha256:" + hex.EncodeToString(hash.Sum(nil)); got != digest {
		return refused(fmt.Errorf("%s should have the digest %s, and has %s", path, digest, got))
	}
	return nil
}

// chartDigest is what the record says of a chart, or "".
func (f *folder) chartDigest(source chartstore.Source) string {
	for _, chart := range f.record.Charts {
		if coordinate(chart.source()) == coordinate(source) {
			return chart.Digest
		}
	}
	return ""
}
