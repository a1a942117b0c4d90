// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// CheckMirror says what is wrong with the address of a mirror, or returns nil. A folder is
// not looked for: another machine may fill it later.
func CheckMirror(mirror string) error {
	switch {
	case strings.HasPrefix(mirror, "oci://"):
		return checkRegistry(mirror)
	case strings.Contains(mirror, "://"):
		return checkRepository(mirror)
	}
	return nil
}

// MirrorPlace is where a chart of a repository or registry stands below a mirror, without
// its version: "https/charts.example.com/stable/queue".
func MirrorPlace(source Source) (string, error) {
	address, err := parseURL(source.Repository + source.Registry)
	if err != nil {
		return "", err
	}
	place := []string{address.Scheme, placeOfHost(address.Host)}
	for part := range strings.SplitSeq(strings.Trim(address.Path, "/"), "/") {
		if part != "" {
			place = append(place, spell(part))
		}
	}
	return path.Join(append(place, spell(source.Name))...), nil
}

// MirrorFile is the chart's file in a mirror that is a folder or an HTTP server, with "/"
// between its parts.
func MirrorFile(source Source) (string, error) {
	place, err := MirrorPlace(source)
	return place + "/" + tag(source.Version) + ".tgz", err
}

// MirrorReference is host/path:tag of the chart in a mirror that is an OCI registry.
func MirrorReference(mirror string, source Source) (string, error) {
	place, err := MirrorPlace(source)
	return strings.TrimSuffix(strings.TrimPrefix(mirror, "oci://"), "/") + "/" + place + ":" + tag(source.Version), err
}

// part is what the OCI distribution specification takes between two slashes, less "__".
var part = regexp.MustCompile(`^[a-z0-9]+((\.|_|-+)[a-z0-9]+)*$`)

// placeOfHost writes the port behind "_", which no host name holds.
func placeOfHost(host string) string {
	if plain := strings.Replace(host, ":", "_", 1); !strings.Contains(host, "_") && part.MatchString(plain) {
		return plain
	}
	return hashed(host)
}

var foreign = regexp.MustCompile(`[^a-z0-9]+`)

// spell writes one part of a path so that every kind of mirror takes it and no two parts are
// written alike.
func spell(text string) string {
	if part.MatchString(text) {
		return text
	}
	return hashed(text)
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	readable := strings.Trim(foreign.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if readable == "" {
		readable = "x"
	}
	return readable + "__" + hex.EncodeToString(sum[:8])
}

// fromMirror finds a chart of a repository or registry in the mirror, and nowhere else.
func (s *Store) fromMirror(ctx context.Context, source Source) (Chart, error) {
	if err := CheckMirror(s.mirror); err != nil {
		return Chart{}, fmt.Errorf("the mirror: %w", err)
	}
	chart, err := s.inMirror(ctx, source)
	if err != nil {
		return Chart{}, fmt.Errorf("in the mirror %s: %w", s.mirror, explainMissing(err))
	}
	return chart, nil
}

func (s *Store) inMirror(ctx context.Context, source Source) (Chart, error) {
	if strings.HasPrefix(s.mirror, "oci://") {
		reference, err := MirrorReference(s.mirror, source)
		if err != nil {
			return Chart{}, err
		}
		return s.fromRegistry(ctx, source, reference, s.MirrorCredentials)
	}
	file, err := MirrorFile(source)
	if err != nil {
		return Chart{}, err
	}
	if !strings.Contains(s.mirror, "://") {
		path := filepath.Join(s.mirror, filepath.FromSlash(file))
		return s.fromArchive(path, source.pinned(path))
	}
	base, err := url.Parse(s.mirror)
	if err != nil {
		return Chart{}, err
	}
	address := base.JoinPath(file)
	return s.fetchArchive(ctx, address, address.String(), s.MirrorCredentials.basic(base), source.pinned(address.String()))
}

// explainMissing says how a chart comes into a mirror.
func explainMissing(err error) error {
	var answer *fetch.StatusError
	if errors.Is(err, fs.ErrNotExist) || (errors.As(err, &answer) && answer.Code == http.StatusNotFound) {
		return fmt.Errorf("%w. Fill the mirror with trainyard mirror pull and trainyard mirror push; with a mirror set, no chart is asked for anywhere else", err)
	}
	return err
}
