// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"sigs.k8s.io/yaml"
)

// Artifact is a chart as an OCI registry keeps it, in the form that helm push writes.
type Artifact struct {
	Manifest []byte // JSON, the same for the same archive
	Config   []byte // the chart's metadata in JSON
	Archive  []byte
}

// NewArtifact wraps a chart's archive for a registry.
func NewArtifact(archive []byte) (*Artifact, error) {
	config, err := metadata(archive)
	if err != nil {
		return nil, err
	}
	manifest := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}
	if manifest.Config, err = describe(config, ConfigMediaType); err != nil {
		return nil, err
	}
	layer, err := describe(archive, ArchiveMediaType)
	if err != nil {
		return nil, err
	}
	manifest.Layers = []v1.Descriptor{layer}
	raw, err := json.Marshal(manifest)
	return &Artifact{Manifest: raw, Config: config, Archive: archive}, err
}

func describe(content []byte, kind types.MediaType) (v1.Descriptor, error) {
	digest, size, err := v1.SHA256(bytes.NewReader(content))
	return v1.Descriptor{MediaType: kind, Size: size, Digest: digest}, err
}

// maxMetadata bounds Chart.yaml.
const maxMetadata = 1 << 20

// metadata is the chart's Chart.yaml in JSON.
func metadata(archive []byte) ([]byte, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("read the chart's archive: %w", err)
	}
	files := tar.NewReader(unpacked)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the archive holds no Chart.yaml")
		}
		if err != nil {
			return nil, fmt.Errorf("read the chart's archive: %w", err)
		}
		folder, file, _ := strings.Cut(strings.TrimPrefix(header.Name, "./"), "/")
		if folder == "" || file != "Chart.yaml" {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(files, maxMetadata))
		if err != nil {
			return nil, fmt.Errorf("read Chart.yaml: %w", err)
		}
		config, err := yaml.YAMLToJSON(text)
		if err != nil {
			return nil, fmt.Errorf("read Chart.yaml: %w", err)
		}
		return config, nil
	}
}
