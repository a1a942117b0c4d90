// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

// Chart is one entry: a chart that Trainyard knows how to install. Entries are shared; what
// the lists of one hold must not be changed.
type Chart struct {
	Name   string `json:"name"`  // of the entry, a DNS label: nvidia-device-plugin
	Title  string `json:"title"` // the product, for people
	Home   string `json:"home"`  // https address
	Source Source `json:"source"`

	// License is the SPDX expression of the program that the chart installs, not of the chart.
	License string `json:"license"`
	// LicenseNote says what a copyleft licence or a proprietary part asks of whom.
	LicenseNote string `json:"license_note,omitempty"`

	Kubernetes string `json:"kubernetes"`        // range of versions, such as >=1.25.0-0
	Namespace  string `json:"namespace"`         // where it is usually installed
	Release    string `json:"release"`           // the usual name of its release
	Retired    string `json:"retired,omitempty"` // why a new cluster should not have it, and what instead

	CRDs   []CRDs   `json:"crds,omitempty"`
	Images []Image  `json:"images,omitempty"`
	Values []Value  `json:"values,omitempty"`
	Notes  []string `json:"notes,omitempty"` // what must be known before it is installed
}

// Source is where a chart comes from.
type Source struct {
	Repository string `json:"repository,omitempty"` // https:// with an index, or oci://
	Name       string `json:"name,omitempty"`       // of the chart there
	Version    string `json:"version,omitempty"`    // as the repository writes it, with or without a v
	Digest     string `json:"digest,omitempty"`     // of the archive (.tgz): sha256: and 64 digits
	Unpinned   string `json:"unpinned,omitempty"`   // why there is no digest
	// Unavailable says why there is no chart to install. All else is empty then.
	Unavailable string `json:"unavailable,omitempty"`
	// Follow is the range of versions that a refresh stays in. By default that is the major
	// version.
	Follow string `json:"follow,omitempty"`
}

// CRDs are custom resource definitions that a chart brings.
type CRDs struct {
	// From is where the chart has them: crds or templates, for a subchart after charts/NAME/.
	// Helm never upgrades those of the first, and deletes those of the second on uninstall.
	From  string   `json:"from"`
	Names []string `json:"names"` // plural.group
	// Kept says that those from templates are marked to outlive an uninstall, with the values
	// of this catalogue.
	Kept bool `json:"kept,omitempty"`
}

// Image is one image of a chart, and the paths of the values that name it: keys with dots
// between them, "" where the chart's values have none. Charts lay an image out in one of
// these ways:
//
//   - Reference alone: nvcr.io/nvidia/driver:1.0
//   - Repository: nvcr.io/nvidia/driver
//   - Repository and Name: nvcr.io/nvidia and driver
//   - Registry and Repository: nvcr.io and nvidia/driver
//   - Registry, Repository and Name: nvcr.io, nvidia and driver
type Image struct {
	Reference  string `json:"reference,omitempty"`
	Registry   string `json:"registry,omitempty"`
	Repository string `json:"repository,omitempty"`
	Name       string `json:"name,omitempty"`
	Tag        string `json:"tag,omitempty"`
	Digest     string `json:"digest,omitempty"`

	Default string `json:"default"`          // whole reference that this version of the chart uses
	When    string `json:"when,omitempty"`   // value that must be on for it to be run; "" is always
	Note    string `json:"note,omitempty"`   // what the paths do not say
	Frozen  string `json:"frozen,omitempty"` // why the default must not be relied on any longer
}

// Value is one value that Trainyard sets.
type Value struct {
	Path  string `json:"path"` // keys with dots between them
	Value any    `json:"value"`
	Why   string `json:"why"`
}

// Installable says whether there is a chart to install.
func (c Chart) Installable() bool { return c.Source.Unavailable == "" }

// Pinned says whether the chart's archive is known by its digest.
func (c Chart) Pinned() bool { return c.Source.Digest != "" }

// CRDNames are the names of all definitions that the chart and its subcharts bring.
func (c Chart) CRDNames() []string {
	var names []string
	for _, crds := range c.CRDs {
		names = append(names, crds.Names...)
	}
	return names
}
