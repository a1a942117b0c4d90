// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// IndexEntry is one version of a chart in a repository's index.
type IndexEntry struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	AppVersion  string   `json:"appVersion"`
	KubeVersion string   `json:"kubeVersion"`
	Created     string   `json:"created"`
	Digest      string   `json:"digest"`
	URLs        []string `json:"urls"`
	Deprecated  bool     `json:"deprecated,omitempty"`
}

// parseEntries reads a YAML or JSON list of entries.
func parseEntries(text []byte) ([]IndexEntry, error) {
	var entries []IndexEntry
	if err := yaml.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("the repository's index cannot be read: %w", err)
	}
	return entries, nil
}

// promised is the digest that the index gives, as "sha256:<hex>", or "" where it gives none.
func (e IndexEntry) promised() string {
	digest := strings.ToLower(e.Digest)
	if !strings.HasPrefix(digest, "sha256:") {
		digest = "sha256:" + digest
	}
	if !sha256Digest.MatchString(digest) {
		return ""
	}
	return digest
}

// address is where the archive is; a relative one is below the repository's.
func (e IndexEntry) address(repository string) (*url.URL, error) {
	if len(e.URLs) == 0 {
		return nil, errors.New("the repository's index names no archive for this version")
	}
	base, err := parseURL(repository)
	if err != nil {
		return nil, err
	}
	reference, err := url.Parse(e.URLs[0])
	if err != nil {
		return nil, fmt.Errorf("the repository's index names an archive that is no URL: %q", e.URLs[0])
	}
	base.Path = strings.TrimSuffix(base.Path, "/") + "/"
	return base.ResolveReference(reference), nil
}

// search looks for one version of a chart while its index streams by.
type search struct {
	source Source
	found  *IndexEntry
	listed bool     // whether the chart is in the index at all
	others []string // versions that are there
}

func newSearch(source Source) search { return search{source: source} }

func (s *search) in(body io.Reader) (err error) {
	s.listed, err = scanIndex(body, s.source.Name, s.visit)
	return err
}

// someVersions is how many versions an error lists.
const someVersions = 5

var versionLine = regexp.MustCompile(`(?m)(?:^[ -]*|[{,] *)"?version"?: *["']?([^\s"',}]+)`)

// visit parses an entry only where the version can be in it: popular charts have thousands.
func (s *search) visit(text []byte) (done bool, err error) {
	if len(s.others) < someVersions {
		if match := versionLine.FindSubmatch(text); match != nil {
			s.others = append(s.others, string(match[1]))
		}
	}
	if !bytes.Contains(text, []byte(s.source.Version)) {
		return false, nil
	}
	entries, err := parseEntries(text)
	if err != nil {
		return false, err
	}
	for _, entry := range entries {
		if entry.Version == s.source.Version {
			s.found = &entry
			return true, nil
		}
	}
	return false, nil
}

func (s *search) result() (IndexEntry, error) {
	switch {
	case s.found != nil:
		return *s.found, nil
	case !s.listed:
		return IndexEntry{}, fmt.Errorf("the repository has no chart of this name. Check the name and the repository")
	case len(s.others) == 0:
		return IndexEntry{}, fmt.Errorf("the repository has no version of this chart")
	}
	return IndexEntry{}, fmt.Errorf("the repository does not have this version. The first that it lists are %s", strings.Join(s.others, ", "))
}
