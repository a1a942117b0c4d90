// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trainyard/terraform-provider-trainyard/internal/charts"
	"github.com/trainyard/terraform-provider-trainyard/internal/chartvalues"
	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/helm"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/monitoring"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// The parts of a monitoring, in the order in which they are made: Prometheus asks for its
// credentials when it starts, and its chart brings the definitions of monitors and rules.
const (
	partCredentials = "remote-write"
	partPrometheus  = "prometheus"
	partExporter    = "gpu-exporter"
	partRules       = "rules"
)

// gpuExporter is the exporter of GPUs, in the catalogue and in package monitoring.
const gpuExporter = "dcgm-exporter"

// builder makes the parts of one monitoring.
type builder struct {
	hub    *connect.Hub
	engine helm.Engine
	model  *Model
	given  arguments
	stack  chartvalues.Stack
}

// whole is a monitoring's parts, and its outputs.
type whole struct {
	release.Assembled
	out outputs
}

// assemble lays out the parts of a monitoring.
func assemble(ctx context.Context, s *entity.Session, m *Model) (w whole, err error) {
	given, err := m.arguments(ctx)
	if err != nil {
		return w, err
	}
	b := &builder{hub: s.Hub, engine: helm.Engine{Cluster: s.Cluster, Charts: s.Hub.Charts}, model: m, given: given}
	w.Retired = b.retired
	if given.prometheus != nil {
		more, err := b.prometheus(ctx)
		if err != nil {
			return w, err
		}
		w.Parts = append(w.Parts, more...)
	}
	if given.exporter != nil {
		part, err := b.exporter(ctx)
		if err != nil {
			return w, err
		}
		w.Parts = append(w.Parts, part)
	}
	groups, leftOut := monitoring.Rules(monitoring.Options{
		Exporters: b.exporters(), Overrides: given.overrides(), ValidationTaint: m.ValidationTaint.ValueString(),
	})
	w.out = outputsOf(groups, leftOut, given, b.stack)
	w.Parts = append(w.Parts, b.rules(groups))
	return w, w.Load(s)
}

// retired is a part of an earlier configuration, which is only removed.
func (b *builder) retired(name string) assembly.Part {
	if !slices.Contains([]string{partCredentials, partPrometheus, partExporter, partRules}, name) {
		return nil
	}
	return helm.Part{Engine: b.engine, Label: name, Want: helm.Want{Owner: release.Owner(b.hub, holder, b.model.Name.ValueString(), name)}}
}

// of is a chart of the catalogue as a part.
func (b *builder) of(ctx context.Context, name, chart string, argument release.Argument, values map[string]any, at spec.Path) (helm.Part, error) {
	part, err := release.Part{
		Label: name, Catalog: chart, Resource: holder, Holder: b.model.Name.ValueString(), Argument: argument, Values: values,
	}.For(ctx, b.hub, b.engine)
	part.At = at
	part.Want.Mask = b.model.secrets.mask()
	return part, spec.At(at, err)
}

// own is our chart as a part.
func (b *builder) own(name string, values map[string]any, after ...string) helm.Part {
	return helm.Part{Engine: b.engine, Label: name, After: after, Want: helm.Want{
		Name:  helm.Name{Namespace: b.given.namespace(), Name: "trainyard-" + name},
		Owner: release.Owner(b.hub, holder, b.model.Name.ValueString(), name), Own: charts.Monitoring(), Values: values,
		Options: helm.Options{CreateNamespace: true, CRDs: helm.CRDsApply, History: 5},
		Mask:    b.model.secrets.mask(),
	}}
}

// prometheus is kube-prometheus-stack, and before it the credentials for where it sends samples.
func (b *builder) prometheus(ctx context.Context) (parts []assembly.Part, err error) {
	settings, receivers := b.given.prometheus.spec(), b.given.receiverSpecs()
	part, err := b.of(ctx, partPrometheus, "kube-prometheus-stack", b.given.prometheus.Argument,
		chartvalues.KubePrometheusStack(settings, receivers), spec.Path{"prometheus"})
	if err != nil {
		return nil, err
	}
	if len(receivers) > 0 {
		part.Want.Secret, part.Want.Secrets = chartvalues.ReceiverSecrets(b.model.secrets.receivers), b.model.Revision.String()
	}
	usernames := map[string]string{}
	for name, server := range settings.RemoteWrite {
		if server.Username != "" {
			usernames[name] = server.Username
		}
	}
	if len(usernames) > 0 {
		values, secret := chartvalues.RemoteWriteCredentials(usernames, b.model.secrets.passwords)
		credentials := b.own(partCredentials, values)
		credentials.Want.Secret, credentials.Want.Secrets = secret, b.model.Revision.String()
		part.After = []string{partCredentials}
		parts = append(parts, credentials)
	}
	part.Ready = func(ctx context.Context) (string, error) { return unserved(ctx, b.engine.Cluster) }
	b.stack = chartvalues.StackOf(part.Want.Namespace, part.Want.Name.Name, part.Want.Values)
	return append(parts, part), nil
}

// unserved says which kind of rules and monitors the API server does not serve. What it serves is
// remembered, and what comes after Prometheus has to know of its definitions.
func unserved(ctx context.Context, cluster *kube.Cluster) (string, error) {
	for _, kind := range []string{"PrometheusRule", "ServiceMonitor"} {
		_, served, err := cluster.KindFor(ctx, schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: kind})
		if err != nil || !served {
			return "the API server does not serve " + kind + "; the definitions of the Prometheus operator are missing", err
		}
	}
	return "", nil
}

// exporter is NVIDIA's exporter.
func (b *builder) exporter(ctx context.Context) (assembly.Part, error) {
	part, err := b.of(ctx, partExporter, gpuExporter, b.given.exporter.Argument,
		chartvalues.DCGMExporter(b.given.operated(), b.given.labels()), spec.Path{"gpu_exporter"})
	part.After = b.needs()
	return part, err
}

// needs are the parts that bring the definitions of monitors and rules.
func (b *builder) needs() []string {
	if b.given.prometheus == nil {
		return nil
	}
	return []string{partPrometheus}
}

func (b *builder) rules(groups []monitoring.Group) assembly.Part {
	boards, namespace, labels := b.given.boards()
	return b.own(partRules, chartvalues.Monitoring(chartvalues.Watch{
		Groups: groups, Operator: b.given.operated(), Labels: b.given.labels(), Volcano: slices.Contains(b.given.exporters, "volcano"),
		Dashboards: boards, DashboardsNamespace: namespace, DashboardLabels: labels,
	}), b.needs()...)
}

// exporters are those that are installed here, and those that the configuration says are there.
func (b *builder) exporters() []string {
	all := slices.Concat(b.given.exporters, b.stack.Exporters)
	if b.given.exporter != nil {
		all = append(all, gpuExporter)
	}
	return all
}
