// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

var (
	// Helm packages charts under names of these characters.
	chartName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	// Semantic Versioning 2, with the "v" that many charts put before it.
	exactVersion = regexp.MustCompile(`^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	sha256Digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

const (
	schemeOCI   = "oci"
	schemeHTTP  = "http"
	schemeHTTPS = "https"

	maxTag = 128 // characters, by the OCI distribution specification
)

// Check says what is wrong with the source, with paths relative to it. It asks nobody.
func (s Source) Check() spec.Violations {
	var v spec.Violations
	s.checkPlace(&v)
	if s.Path == "" {
		s.checkVersion(&v)
	}
	if s.Digest != "" && !sha256Digest.MatchString(s.Digest) {
		v.Add(spec.Path{"digest"}, `Write "sha256:" and 64 lower-case hexadecimal digits`, "%q is not a SHA-256 digest", s.Digest)
	}
	if s.Credentials != nil && s.Path != "" {
		v.Add(spec.Path{"credentials"}, "Remove them", "a path needs no credentials")
	}
	return v
}

func (s Source) checkPlace(v *spec.Violations) {
	var given []string
	for _, place := range []struct{ attribute, value string }{
		{"repository", s.Repository}, {"registry", s.Registry}, {"path", s.Path},
	} {
		if place.value != "" {
			given = append(given, place.attribute)
		}
	}
	switch len(given) {
	case 0:
		v.Add(spec.Path{"repository"}, `Set one of "repository", "registry" and "path"`, "the chart has no source")
	case 1:
	default:
		v.Add(spec.Path{given[1]}, "Keep one of them", "a chart has one source, and %q is set too", given[0])
	}
	if s.Repository != "" {
		if err := checkRepository(s.Repository); err != nil {
			v.Add(spec.Path{"repository"}, `Use the URL of the folder that holds index.yaml, such as "https://charts.example.com/stable"`, "%s", err)
		}
	}
	if s.Registry != "" {
		if err := checkRegistry(s.Registry); err != nil {
			v.Add(spec.Path{"registry"}, `Use the registry and the path above the chart, such as "oci://ghcr.io/example/charts"`, "%s", err)
		}
	}
}

func (s Source) checkVersion(v *spec.Violations) {
	if !chartName.MatchString(s.Name) {
		v.Add(spec.Path{"name"}, `Use the name in the repository, such as "gpu-operator"`, "%q is not the name of a chart", s.Name)
	}
	switch {
	case s.Version == "":
		v.Add(spec.Path{"version"}, "Set the version to install: the newest one of tomorrow is not the one that was planned", "the version is missing")
	case !exactVersion.MatchString(s.Version) || len(s.Version) > maxTag:
		v.Add(spec.Path{"version"}, `Use one exact version, such as "1.2.0" or "v1.2.0-rc.1"; ranges are not followed`, "%q is not an exact version", s.Version)
	}
}

func checkRepository(address string) error {
	parsed, err := parseURL(address)
	if err != nil {
		return err
	}
	switch {
	case parsed.Scheme == schemeHTTPS:
	case parsed.Scheme == schemeHTTP && fetch.IsLoopback(parsed.Hostname()):
	case parsed.Scheme == schemeHTTP:
		return fmt.Errorf("%q is plain http, which anybody on the way can change", address)
	case parsed.Scheme == schemeOCI:
		return fmt.Errorf(`%q is an OCI registry, which goes into "registry"`, address)
	default:
		return fmt.Errorf("%q is no https URL", address)
	}
	return nil
}

func checkRegistry(address string) error {
	parsed, err := parseURL(address)
	if err != nil {
		return err
	}
	if parsed.Scheme != schemeOCI {
		return fmt.Errorf(`%q does not begin with "oci://"`, address)
	}
	if _, err := name.NewRepository(parsed.Host+strings.TrimSuffix(parsed.Path, "/")+"/chart", name.StrictValidation); err != nil {
		return fmt.Errorf("%q is not the address of an OCI registry: %w", address, err)
	}
	return nil
}

// parseURL takes URLs of a scheme, a host and a path and nothing else; errors do not repeat
// what may be a password.
func parseURL(address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Host == "":
		return nil, fmt.Errorf("it is not a URL with a host")
	case parsed.User != nil:
		return nil, fmt.Errorf("the URL holds credentials, which would be stored in the state; they have their own argument")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return nil, fmt.Errorf("the URL has a query or a fragment")
	}
	return parsed, nil
}
