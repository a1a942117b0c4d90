// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// Store finds charts and keeps them. It is safe for concurrent use, and several processes
// may share its folder.
type Store struct {
	// MirrorCredentials are for the host of the mirror; nil is none. Those of a source are
	// never sent there. Set them before the first Find.
	MirrorCredentials *Credentials

	dir       string
	mirror    string
	transport http.RoundTripper
	limits    fetch.Limits
	flights   flights
}

// New returns a store that keeps archives in dir; "" is a folder of the user's cache. The
// mirror is "", "oci://host/path", "https://host/path" or a folder (see the package comment).
func New(dir, mirror string) *Store {
	if dir == "" {
		if cache, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(cache, "trainyard", "charts")
		}
	}
	return &Store{
		dir:       dir,
		mirror:    mirror,
		transport: fetch.Transport(),
		limits:    fetch.Small,
		flights:   flights{running: map[flightKey]*flight{}},
	}
}

// Find returns the chart, from the cache where its digest is pinned and it is there. Its
// errors name the source and say what to do; a digest that is not the pinned one is a
// *DigestError. Finds of one source at the same time fetch it once.
func (s *Store) Find(ctx context.Context, source Source) (Chart, error) {
	if violations := source.Check(); len(violations) > 0 {
		return Chart{}, fmt.Errorf("%s: %w", source, violations[0])
	}
	chart, err := s.flights.do(ctx, keyOf(source), func(ctx context.Context) (Chart, error) {
		return s.find(ctx, source)
	})
	if err != nil {
		return Chart{}, fmt.Errorf("%s: %w", source, err)
	}
	return chart, nil
}

func (s *Store) find(ctx context.Context, source Source) (Chart, error) {
	if source.Path != "" {
		return s.local(source)
	}
	if source.Digest != "" {
		if chart, ok := s.cached(source.Digest); ok {
			return chart, nil
		}
	}
	switch {
	case s.mirror != "":
		return s.fromMirror(ctx, source)
	case source.Registry != "":
		return s.fromRegistry(ctx, source, registryReference(source), source.Credentials)
	}
	return s.fromRepository(ctx, source)
}
