// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
	"github.com/trainyard/terraform-provider-trainyard/internal/progress"
)

// Pull is how a folder is filled.
type Pull struct {
	// Store finds the charts; it has no mirror of its own.
	Store *chartstore.Store
	// Keychain holds the credentials of registries; nil is none.
	Keychain authn.Keychain
	// Platform is the one to take of images for several; nil takes them whole.
	Platform *v1.Platform
	// Small and Large bound the requests for manifests and for layers.
	Small, Large fetch.Limits
}

// Into fills the folder with what is needed and tells the bar. What is there and has the
// right digest is left as it is. Its error is a *Failures where some could not be had.
func (p Pull) Into(ctx context.Context, dir string, need Need, bar *progress.Bar) error {
	folder, err := openFolder(dir)
	if err != nil {
		return err
	}
	if err := folder.sweep(); err != nil {
		return err
	}
	puller, err := remote.NewPuller(authenticated(p.Keychain), remote.WithTransport(fetch.Transport()),
		remote.WithRetryBackoff(remote.Backoff{Steps: 1})) // Limits repeat
	if err != nil {
		return err
	}
	var jobs []job
	for _, chart := range need.Charts {
		jobs = append(jobs, job{chart.String(), func(ctx context.Context, count func(int64)) (string, error) {
			return p.chart(ctx, folder, chart, count)
		}})
	}
	for _, image := range need.Images {
		jobs = append(jobs, job{"image " + image, func(ctx context.Context, count func(int64)) (string, error) {
			one := &imagePull{Pull: p, puller: puller, blobs: folder.blobs(), count: count}
			return one.run(ctx, folder, image)
		}})
	}
	return carry(ctx, bar, jobs)
}

// Jobs is how many charts and images a need has.
func (n Need) Jobs() int { return len(n.Charts) + len(n.Images) }

func (p Pull) chart(ctx context.Context, folder *folder, source chartstore.Source, count func(int64)) (string, error) {
	file, err := chartstore.MirrorFile(source)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder.dir, filepath.FromSlash(file))
	digest := source.Digest
	if digest == "" {
		digest = folder.chartDigest(source)
	}
	record := chartRecord{Repository: source.Repository, Registry: source.Registry, Name: source.Name, Version: source.Version, File: file, Digest: digest}
	if err := checkFile(path, digest); err == nil {
		return present, folder.setChart(record)
	}
	chart, err := p.find(ctx, source)
	if err != nil {
		return "", err
	}
	record.Digest = chart.Digest
	if err := copyFile(path, chart, count); err != nil {
		return "", err
	}
	return fetched, folder.setChart(record)
}

// find asks with the credentials that the keychain has for the host of a registry or of an
// HTTP repository.
func (p Pull) find(ctx context.Context, source chartstore.Source) (chartstore.Chart, error) {
	if p.Keychain != nil && source.Path == "" {
		credentials, err := credentialsFor(p.Keychain, source)
		if err != nil {
			return chartstore.Chart{}, err
		}
		source.Credentials = credentials
	}
	return p.Store.Find(ctx, source)
}

// credentialsFor looks up what "docker login" keeps: for a registry by its path or its host, for
// an HTTP repository by its host.
func credentialsFor(keychain authn.Keychain, source chartstore.Source) (*chartstore.Credentials, error) {
	_, address, _ := strings.Cut(source.Registry+source.Repository, "://")
	host, _, _ := strings.Cut(address, "/")
	var target authn.Resource
	target, err := name.NewRegistry(host)
	if source.Registry != "" {
		target, err = name.NewRepository(strings.TrimSuffix(address, "/"))
	}
	if err != nil {
		return nil, err
	}
	found, err := keychain.Resolve(target)
	if err != nil {
		return nil, fmt.Errorf("look for the credentials of %s: %w", host, err)
	}
	config, err := found.Authorization()
	if err != nil || config.Username == "" {
		return nil, err
	}
	return &chartstore.Credentials{Username: config.Username, Password: config.Password}, nil
}

func copyFile(path string, chart chartstore.Chart, count func(int64)) error {
	from, err := os.Open(chart.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	err = replace(path, func(to *os.File) error {
		size, err := io.Copy(to, from)
		count(size)
		return err
	})
	if err != nil {
		return err
	}
	return checkFile(path, chart.Digest)
}
