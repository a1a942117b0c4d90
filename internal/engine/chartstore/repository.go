// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// fromRepository finds the chart in an HTTP repository: its index, then the archive that the
// index leads to.
func (s *Store) fromRepository(ctx context.Context, source Source) (Chart, error) {
	entry, err := s.entry(ctx, source)
	if err != nil {
		return Chart{}, err
	}
	address, err := entry.address(source.Repository)
	if err != nil {
		return Chart{}, err
	}
	promised := entry.promised()
	if source.Digest != "" && promised != "" && promised != source.Digest {
		return Chart{}, &DigestError{From: address.Redacted(), Promised: source.Digest, Got: promised}
	}
	if address.Scheme == schemeOCI {
		// Indexes of repositories that have moved lead to a registry, which is another host.
		return s.fromRegistry(ctx, source, address.Host+address.Path, nil)
	}
	return s.download(ctx, source, address, promised)
}

// entry reads the index up to the version that is asked for.
func (s *Store) entry(ctx context.Context, source Source) (IndexEntry, error) {
	var search search
	err := s.readIndex(ctx, source, func(body io.Reader) error {
		search = newSearch(source)
		return search.in(body)
	})
	if err != nil {
		return IndexEntry{}, err
	}
	return search.result()
}

// Versions lists what the repository's index says of the chart, newest first as a rule; of a
// registry it lists the tags, which have no digests. Of the source it needs Repository or
// Registry, and Name.
func (s *Store) Versions(ctx context.Context, source Source) ([]IndexEntry, error) {
	if source.Registry != "" {
		return s.tags(ctx, source)
	}
	if err := checkRepository(source.Repository); err != nil {
		return nil, err
	}
	var entries []IndexEntry
	err := s.readIndex(ctx, source, func(body io.Reader) error {
		entries = nil
		_, err := scanIndex(body, source.Name, func(text []byte) (bool, error) {
			parsed, err := parseEntries(text)
			entries = append(entries, parsed...)
			return false, err
		})
		return err
	})
	return entries, err
}

// maxIndex bounds an index. The largest public ones are near 30 MB.
const maxIndex = 256 << 20

func (s *Store) readIndex(ctx context.Context, source Source, read func(io.Reader) error) error {
	address, err := parseURL(source.Repository)
	if err != nil {
		return err
	}
	index := address.JoinPath("index.yaml")
	return s.limits.Get(ctx, s.transport, "read "+index.String(), index, source.Credentials.basic(address), func(body io.Reader) error {
		return read(&limited{body, maxIndex})
	})
}

// limited fails where io.LimitReader would look like the end.
type limited struct {
	io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("the index is larger than %d MiB", maxIndex>>20)
	}
	return n, err
}

func (s *Store) download(ctx context.Context, source Source, address *url.URL, promised string) (Chart, error) {
	repository, err := parseURL(source.Repository)
	if err != nil {
		return Chart{}, err
	}
	from := address.Scheme + "://" + address.Host + address.Path // without a query, which may be signed
	check := func(got string) error {
		if err := source.pinned(from)(got); err != nil {
			return err
		}
		if promised != "" && got != promised {
			return &DigestError{From: from, Promised: promised, Got: got, Index: true}
		}
		return nil
	}
	return s.fetchArchive(ctx, address, from, source.Credentials.basic(repository), check)
}

func (s *Store) fetchArchive(ctx context.Context, address *url.URL, from string, auth fetch.Basic, check func(string) error) (Chart, error) {
	var chart Chart
	err := s.limits.Get(ctx, s.transport, "fetch "+from, address, auth, func(body io.Reader) error {
		var err error
		chart, err = s.keep(body, check)
		return err
	})
	chart.Origin = from
	return chart, err
}
