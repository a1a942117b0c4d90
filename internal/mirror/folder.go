// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

// record is mirror.json.
type record struct {
	Format int           `json:"format"`
	Charts []chartRecord `json:"charts"`
	Images []imageRecord `json:"images"`
}

const recordFormat = 1

type chartRecord struct {
	Repository string `json:"repository,omitempty"`
	Registry   string `json:"registry,omitempty"`
	Name       string `json:"name"`
	Version    string `json:"version"`
	Digest     string `json:"digest"`
	File       string `json:"file"`
}

func (c chartRecord) source() chartstore.Source {
	return chartstore.Source{Repository: c.Repository, Registry: c.Registry, Name: c.Name, Version: c.Version, Digest: c.Digest}
}

type imageRecord struct {
	Reference string          `json:"reference"`
	Digest    v1.Hash         `json:"digest"`
	MediaType types.MediaType `json:"media_type"`
	Size      int64           `json:"size"` // of the manifest
}

func (i imageRecord) descriptor() v1.Descriptor {
	return v1.Descriptor{MediaType: i.MediaType, Size: i.Size, Digest: i.Digest}
}

// folder is a mirror's folder and what its record says.
type folder struct {
	dir    string
	record record
}

const recordFile = "mirror.json"

// openFolder reads the record of a folder; without one it is empty.
func openFolder(dir string) (*folder, error) {
	f := &folder{dir: dir, record: record{Format: recordFormat}}
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &f.record); err != nil {
		return nil, fmt.Errorf("read %s: %w. Remove the file to begin anew; what is there is kept", filepath.Join(dir, recordFile), err)
	}
	if f.record.Format != recordFormat {
		return nil, fmt.Errorf("%s has the format %d, and this program knows %d. Use the program that wrote it, or a newer one", filepath.Join(dir, recordFile), f.record.Format, recordFormat)
	}
	return f, nil
}

// setChart records a chart and writes the record.
func (f *folder) setChart(chart chartRecord) error {
	f.record.Charts = set(f.record.Charts, chart, func(c chartRecord) string { return coordinate(c.source()) })
	return f.save()
}

// setImage records an image and writes the record.
func (f *folder) setImage(image imageRecord) error {
	f.record.Images = set(f.record.Images, image, func(i imageRecord) string { return i.Reference })
	return f.save()
}

// set replaces the element with the same key, or appends.
func set[T any](list []T, value T, key func(T) string) []T {
	for i := range list {
		if key(list[i]) == key(value) {
			list[i] = value
			return list
		}
	}
	return append(list, value)
}

// refName is the annotation that names an image in an OCI layout.
const refName = "org.opencontainers.image.ref.name"

// save writes the record, and the index of the image layout that says the same.
func (f *folder) save() error {
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{}}
	for _, image := range f.record.Images {
		described := image.descriptor()
		described.Annotations = map[string]string{refName: image.Reference}
		index.Manifests = append(index.Manifests, described)
	}
	for path, value := range map[string]any{
		filepath.Join(imagesFolder, "oci-layout"): map[string]string{"imageLayoutVersion": "1.0.0"},
		filepath.Join(imagesFolder, "index.json"): index,
		recordFile: f.record,
	} {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		if err := replace(filepath.Join(f.dir, path), func(file *os.File) error {
			_, err := file.Write(append(text, '\n'))
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// partialSuffix marks files that are being written.
const partialSuffix = ".partial"

// replace writes a file so that it is there whole or not at all.
func replace(path string, write func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a mirror is for others to read
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "*"+partialSuffix)
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // gone where it has been renamed
	err = errors.Join(write(file), file.Chmod(0o644), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// sweep removes what interrupted runs left half written.
func (f *folder) sweep() error {
	root, err := os.OpenRoot(f.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != partialSuffix {
			return err
		}
		return root.Remove(path)
	})
}
