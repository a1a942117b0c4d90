// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed charts/*.yaml
var chartFiles embed.FS

//go:embed chart.schema.json
var chartSchema []byte

// loaded holds the entries of this build. They are part of the program and tested with it:
// what cannot be read is a fault of the build.
var loaded = sync.OnceValue(func() []Chart {
	charts, err := readCharts(chartFiles)
	if err != nil {
		panic(err)
	}
	return charts
})

// Charts are all entries, sorted by name, also those that cannot be installed (see
// Chart.Installable).
func Charts() []Chart { return slices.Clone(loaded()) }

// ChartNamed is the entry of that name, and whether there is one.
func ChartNamed(name string) (Chart, bool) {
	at, found := slices.BinarySearchFunc(loaded(), name, func(c Chart, name string) int {
		return strings.Compare(c.Name, name)
	})
	if !found {
		return Chart{}, false
	}
	return loaded()[at], true
}

// ChartSchema is the published JSON Schema (draft 2020-12) of an entry.
func ChartSchema() []byte { return slices.Clone(chartSchema) }

// DecodeChart reads an entry from YAML. A key that it does not know, or knows twice, is an
// error.
func DecodeChart(data []byte) (Chart, error) {
	var chart Chart
	if err := yaml.UnmarshalStrict(data, &chart); err != nil {
		return Chart{}, fmt.Errorf("reading a chart of the catalogue: %w", err)
	}
	return chart, nil
}

// readCharts reads the entries in the folder charts, each in a file of its name.
func readCharts(files fs.FS) ([]Chart, error) {
	found, err := fs.Glob(files, "charts/*.yaml")
	if err != nil {
		return nil, err
	}
	charts := make([]Chart, 0, len(found))
	for _, file := range found {
		data, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, err
		}
		chart, err := DecodeChart(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if path.Base(file) != chart.Name+".yaml" {
			return nil, fmt.Errorf("%s: holds the entry %q; a file is named after its entry", file, chart.Name)
		}
		charts = append(charts, chart)
	}
	slices.SortFunc(charts, func(a, b Chart) int { return strings.Compare(a.Name, b.Name) })
	return charts, nil
}
