// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"fmt"
	"log/slog"
	"net/url"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
)

// Source says where a chart comes from: exactly one of Repository, Registry and Path is set.
type Source struct {
	// Repository is the URL of an HTTP chart repository, the folder that holds its
	// index.yaml; plain http only on this machine.
	Repository string
	// Registry is an OCI registry with the path above the chart's name: oci://host/path.
	Registry string
	// Path is a folder that holds Chart.yaml, or a .tgz archive.
	Path string
	// Name and Version of the chart; the version is exact. Not used with Path.
	Name, Version string
	// Digest is "sha256:<hex>" of the archive, or what Find returned for a folder; empty
	// where nothing is pinned.
	Digest string
	// Credentials are for the host of Repository or Registry; nil is none.
	Credentials *Credentials
}

// String names the chart for people. It holds no credentials.
func (s Source) String() string {
	if s.Path != "" {
		return "chart " + s.Path
	}
	return fmt.Sprintf("chart %s %s of %s", s.Name, s.Version, s.Repository+s.Registry)
}

// Credentials are a user name and a password or token. They print as a placeholder.
type Credentials struct {
	Username string `json:"-"`
	Password string `json:"-"`
}

const hidden = "(credentials)"

// String hides the credentials from formatted text.
func (Credentials) String() string { return hidden }

// GoString hides the credentials from %#v.
func (Credentials) GoString() string { return hidden }

// LogValue hides the credentials from structured logs.
func (Credentials) LogValue() slog.Value { return slog.StringValue(hidden) }

// basic are the credentials for requests to the host of address; c may be nil.
func (c *Credentials) basic(address *url.URL) fetch.Basic {
	if c == nil {
		return fetch.Basic{}
	}
	return fetch.Basic{Origin: address, Username: c.Username, Password: c.Password}
}

// Chart is a chart on disk whose digest has been checked.
type Chart struct {
	// Path of the archive in the cache, or of the folder that the source named.
	Path string
	// Digest is "sha256:<hex>": of the archive, or over the sorted files of a folder.
	Digest string
	// Dir says that Path is a folder.
	Dir bool
	// Origin says where the chart came from this time: "cache", a URL or a path.
	Origin string
}
