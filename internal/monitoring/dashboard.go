// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed dashboards/*.json
var dashboardFiles embed.FS

// Dashboards are Grafana's dashboards as JSON, by name: fleet, node, team, queue and storage.
// Each has a uid of its own, trainyard-NAME, and asks for its Prometheus with the variable
// datasource.
func Dashboards() map[string][]byte {
	files, err := fs.Glob(dashboardFiles, "dashboards/*.json")
	if err != nil {
		panic(fmt.Sprintf("the dashboards of monitoring cannot be listed: %v", err)) // the pattern is sound
	}
	all := make(map[string][]byte, len(files))
	for _, file := range files {
		data, err := dashboardFiles.ReadFile(file)
		if err != nil {
			panic(fmt.Sprintf("the dashboard %s cannot be read: %v", file, err)) // part of the program
		}
		all[strings.TrimSuffix(path.Base(file), ".json")] = data
	}
	return all
}
