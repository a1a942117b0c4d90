// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/mirror"
)

// entries is the catalogue that the commands read.
type entries = mirror.Catalog

// embedded is the catalogue of this program.
type embedded struct{}

func (embedded) Names() []string {
	var names []string
	for _, chart := range catalog.Charts() {
		if chart.Installable() {
			names = append(names, chart.Name)
		}
	}
	return names
}

func (embedded) Entry(name string) (mirror.Entry, bool) {
	chart, ok := catalog.ChartNamed(name)
	if !ok || !chart.Installable() {
		return mirror.Entry{}, false
	}
	return mirror.Entry{Chart: sourceOf(chart), Images: chart.AllImages()}, true
}

// sourceOf is where the chart of an entry comes from.
func sourceOf(chart catalog.Chart) chartstore.Source {
	source := chartstore.Source{Name: chart.Source.Name, Version: chart.Source.Version, Digest: chart.Source.Digest}
	if strings.HasPrefix(chart.Source.Repository, "oci://") {
		source.Registry = chart.Source.Repository
	} else {
		source.Repository = chart.Source.Repository
	}
	return source
}
