// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// Media types of charts in OCI registries, as Helm writes them.
const (
	ConfigMediaType  types.MediaType = "application/vnd.cncf.helm.config.v1+json"
	ArchiveMediaType types.MediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// registryReference is host/path/name:tag of a chart in its registry.
func registryReference(source Source) string {
	return repositoryOf(source) + ":" + tag(source.Version)
}

func repositoryOf(source Source) string {
	return strings.TrimSuffix(strings.TrimPrefix(source.Registry, "oci://"), "/") + "/" + source.Name
}

// tag of a version: tags have no "+", and Helm writes "_" for it.
func tag(version string) string { return strings.ReplaceAll(version, "+", "_") }

// fromRegistry finds the chart in an OCI registry: its manifest, then the layer that is the
// archive. A manifest with another digest than the pinned one costs no download.
func (s *Store) fromRegistry(ctx context.Context, source Source, reference string, credentials *Credentials) (Chart, error) {
	ref, err := name.ParseReference(reference, name.StrictValidation)
	if err != nil {
		return Chart{}, err
	}
	from := "oci://" + reference
	var chart Chart
	err = s.limits.Repeat(ctx, "fetch "+from, func(ctx context.Context, alive func()) error {
		puller, err := remote.NewPuller(s.options(credentials)...)
		if err != nil {
			return err
		}
		described, err := puller.Get(ctx, ref)
		if err != nil {
			return fetch.Explain(err)
		}
		alive()
		layer, err := archiveLayer(described)
		if err != nil {
			return err
		}
		if err := source.pinned(from)(layer.Digest.String()); err != nil {
			return err
		}
		chart, err = s.keepLayer(ctx, puller, ref.Context().Digest(layer.Digest.String()), source.pinned(from), alive)
		return fetch.Explain(err)
	})
	chart.Origin = from
	return chart, err
}

// tags are the versions of a chart in its registry.
func (s *Store) tags(ctx context.Context, source Source) ([]IndexEntry, error) {
	if err := checkRegistry(source.Registry); err != nil {
		return nil, err
	}
	repository, err := name.NewRepository(repositoryOf(source), name.StrictValidation)
	if err != nil {
		return nil, err
	}
	var entries []IndexEntry
	err = s.limits.Repeat(ctx, "list the tags of "+repository.Name(), func(ctx context.Context, _ func()) error {
		tags, err := remote.List(repository, append(s.options(source.Credentials), remote.WithContext(ctx))...)
		if err != nil {
			return fetch.Explain(err)
		}
		entries = nil
		for _, tag := range tags {
			if version := strings.Replace(tag, "_", "+", 1); exactVersion.MatchString(version) {
				entries = append(entries, IndexEntry{Name: source.Name, Version: version})
			}
		}
		return nil
	})
	return entries, err
}

func (s *Store) keepLayer(ctx context.Context, puller *remote.Puller, blob name.Digest, check func(string) error, alive func()) (Chart, error) {
	layer, err := puller.Layer(ctx, blob)
	if err != nil {
		return Chart{}, err
	}
	body, err := layer.Compressed()
	if err != nil {
		return Chart{}, err
	}
	defer body.Close()
	alive()
	return s.keep(fetch.Ticking{Reader: body, Alive: alive}, check)
}

func (s *Store) options(credentials *Credentials) []remote.Option {
	auth := authn.Anonymous
	if credentials != nil {
		auth = authn.FromConfig(authn.AuthConfig{Username: credentials.Username, Password: credentials.Password})
	}
	return []remote.Option{
		remote.WithAuth(auth),
		remote.WithTransport(s.transport),
		remote.WithRetryBackoff(remote.Backoff{Steps: 1}), // repeat does it, for all alike
	}
}

// archiveLayer is the layer of a chart's manifest that holds the archive.
func archiveLayer(described *remote.Descriptor) (v1.Descriptor, error) {
	if described.MediaType.IsIndex() {
		return v1.Descriptor{}, errors.New("the registry has an index of images there, not a chart. Check the registry's path and the name")
	}
	manifest, err := v1.ParseManifest(bytes.NewReader(described.Manifest))
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("read the chart's manifest: %w", err)
	}
	for _, layer := range manifest.Layers {
		if layer.MediaType != ArchiveMediaType {
			continue
		}
		if layer.Size > maxArchive {
			return v1.Descriptor{}, fmt.Errorf("the chart's archive has %d MiB; the most is %d", layer.Size>>20, maxArchive>>20)
		}
		return layer, nil
	}
	return v1.Descriptor{}, fmt.Errorf("what the registry has there is not a chart but %s. Check the registry's path and the name", manifest.Config.MediaType)
}
