// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"maps"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
)

// Watch is what our chart monitoring makes.
type Watch struct {
	Groups []monitoring.Group
	// Operator: the Prometheus operator runs Prometheus, and takes rules as objects. Without it
	// they become a file in a ConfigMap.
	Operator bool
	// Labels are on the objects that Prometheus, or its operator, selects.
	Labels map[string]string
	// Volcano: the scheduler and controllers of Volcano are scraped.
	Volcano bool
	// Dashboards: they become ConfigMaps in this namespace ("" for that of the release), with
	// labels by which Grafana's sidecar finds them.
	Dashboards          bool
	DashboardsNamespace string
	DashboardLabels     map[string]string
}

// Monitoring are the values of our chart monitoring.
func Monitoring(w Watch) map[string]any {
	values := map[string]any{"labels": object(w.Labels), "volcano": w.Volcano && w.Operator}
	if w.Operator {
		values["groups"] = monitoring.Spec(w.Groups)["groups"]
	} else {
		values["file"] = string(monitoring.File(w.Groups))
	}
	if w.Dashboards {
		boards := map[string]any{}
		for name, board := range monitoring.Dashboards() {
			boards[name] = string(board)
		}
		values["dashboards"] = map[string]any{"namespace": w.DashboardsNamespace, "labels": object(w.DashboardLabels), "boards": boards}
	}
	return values
}

// RemoteWriteCredentials are the values of our chart monitoring that make the Secrets for servers
// that take samples, and nothing else: usernames by server, and passwords, which go another way.
func RemoteWriteCredentials(usernames, passwords map[string]string) (values, secret map[string]any) {
	named, hidden := map[string]any{}, map[string]any{}
	for _, server := range slices.Sorted(maps.Keys(usernames)) {
		named[server] = map[string]any{"secret": RemoteWriteSecret(server), "username": usernames[server]}
		if passwords[server] != "" {
			hidden[server] = map[string]any{"password": passwords[server]}
		}
	}
	return map[string]any{"remoteWrite": named}, map[string]any{"remoteWrite": hidden}
}
