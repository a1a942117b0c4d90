// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// nodeExporterFlags take the place of the chart's own, which a list of values replaces as a
// whole: as the chart does, they leave out the file systems of containers and of the kernel; and
// they ask for what NFS mounts do.
var nodeExporterFlags = []any{
	"--collector.filesystem.mount-points-exclude=^/(dev|proc|sys|run/containerd/.+|var/lib/(docker|kubelet)/.+)($|/)",
	"--collector.filesystem.fs-types-exclude=^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fusectl|hugetlbfs|" +
		"iso9660|mqueue|nsfs|overlay|proc|pstore|rpc_pipefs|securityfs|squashfs|sysfs|tracefs)$",
	"--collector.mountstats",
}

// RemoteWriteSecret is the name of the Secret with the username and password for a server that
// takes samples.
func RemoteWriteSecret(server string) string { return "trainyard-remote-write-" + server }

// KubePrometheusStack are the values of kube-prometheus-stack. Without receivers its Alertmanager
// is left as the chart sets it up.
func KubePrometheusStack(p spec.Prometheus, receivers map[string]spec.Receiver) map[string]any {
	values := map[string]any{
		"kube-state-metrics":       map[string]any{"metricLabelsAllowlist": list(monitoring.LabelAllowlist())},
		"prometheus-node-exporter": map[string]any{"extraArgs": slices.Clone(nodeExporterFlags)},
	}
	if given := prometheusSpec(p); len(given) > 0 {
		values["prometheus"] = map[string]any{"prometheusSpec": given}
	}
	if len(receivers) > 0 {
		values["alertmanager"] = map[string]any{"config": alertmanager(receivers)}
	}
	return values
}

func prometheusSpec(p spec.Prometheus) map[string]any {
	given := map[string]any{}
	for field, text := range map[string]string{"retention": p.Retention, "retentionSize": p.RetentionSize} {
		if text != "" {
			given[field] = text
		}
	}
	if p.Replicas > 0 {
		given["replicas"] = int64(p.Replicas)
	}
	if len(p.ExternalLabels) > 0 {
		given["externalLabels"] = object(p.ExternalLabels)
	}
	if p.Storage != nil {
		claim := map[string]any{
			"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": p.Storage.Size}},
		}
		if p.Storage.Class != "" {
			claim["storageClassName"] = p.Storage.Class
		}
		given["storageSpec"] = map[string]any{"volumeClaimTemplate": map[string]any{"spec": claim}}
	}
	var servers []any
	for _, name := range slices.Sorted(maps.Keys(p.RemoteWrite)) {
		servers = append(servers, remoteWrite(name, p.RemoteWrite[name]))
	}
	if len(servers) > 0 {
		given["remoteWrite"] = servers
	}
	return given
}

func remoteWrite(name string, server spec.RemoteWrite) map[string]any {
	write := map[string]any{"name": name, "url": server.URL}
	if len(server.Headers) > 0 {
		write["headers"] = object(server.Headers)
	}
	if server.Username != "" {
		key := func(key string) map[string]any {
			return map[string]any{"name": RemoteWriteSecret(name), "key": key}
		}
		write["basicAuth"] = map[string]any{"username": key("username"), "password": key("password")}
	}
	return write
}

// Stack is what kube-prometheus-stack makes of its values.
type Stack struct {
	// Prometheus and Grafana are the addresses of their services within the cluster; "" where
	// there is none.
	Prometheus, Grafana string
	// Exporters are those that it installs or scrapes, by their names in package monitoring.
	Exporters []string
}

// StackOf reads the values of a release of kube-prometheus-stack. Names are those that the chart
// gives where its name is the release's.
func StackOf(namespace, release string, values map[string]any) (s Stack) {
	name := text(values, release, "fullnameOverride")
	name = strings.TrimSuffix(name[:min(len(name), 26)], "-") // the chart's own limit
	if switched(values, "prometheus") {
		s.Prometheus = fmt.Sprintf("http://%s-prometheus.%s.svc:%s", name, namespace, text(values, "9090", "prometheus", "service", "port"))
	}
	if switched(values, "grafana") {
		s.Grafana = fmt.Sprintf("http://%s.%s.svc:%s", text(values, release+"-grafana", "grafana", "fullnameOverride"), namespace, text(values, "80", "grafana", "service", "port"))
	}
	for _, exporter := range []struct{ name, value string }{
		{"node-exporter", "nodeExporter"}, {"kube-state-metrics", "kubeStateMetrics"}, {"kubelet", "kubelet"},
	} {
		if switched(values, exporter.value) {
			s.Exporters = append(s.Exporters, exporter.name)
		}
	}
	return s
}

// switched says whether a part of a chart is on, as it is where nothing is said.
func switched(values map[string]any, part string) bool {
	below, _ := values[part].(map[string]any)
	on, said := below["enabled"].(bool)
	return on || !said
}

// text is a value at a path, or what stands for none.
func text(values map[string]any, otherwise string, path ...string) string {
	var at any = values
	for _, step := range path {
		below, _ := at.(map[string]any)
		at = below[step]
	}
	if at == nil || at == "" {
		return otherwise
	}
	return fmt.Sprint(at)
}

// DCGMExporter are the values of dcgm-exporter. scraped says how it is found: by a ServiceMonitor
// with these labels, or by the annotations of its pods where monitor is false.
func DCGMExporter(monitor bool, labels map[string]string) map[string]any {
	counters := monitoring.GPUCounters()
	sum := sha256.Sum256([]byte(counters))
	// The exporter reads its counters when it starts.
	annotations := map[string]any{"trainyard.io/counters": hex.EncodeToString(sum[:8])}
	if !monitor {
		annotations["prometheus.io/scrape"], annotations["prometheus.io/port"] = "true", "9400"
	}
	scrape := map[string]any{"enabled": monitor}
	if monitor && len(labels) > 0 {
		scrape["additionalLabels"] = object(labels)
	}
	return map[string]any{"customMetrics": counters, "podAnnotations": annotations, "serviceMonitor": scrape}
}

func list(texts []string) []any {
	all := make([]any, 0, len(texts))
	for _, text := range texts {
		all = append(all, text)
	}
	return all
}

func object(texts map[string]string) map[string]any {
	all := make(map[string]any, len(texts))
	for key, text := range texts {
		all[key] = text
	}
	return all
}
