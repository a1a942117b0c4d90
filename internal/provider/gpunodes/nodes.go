// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpunodes is the data source trainyard_gpu_nodes.
package gpunodes

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/inventory"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// New returns the data source.
func New() datasource.DataSource {
	return entity.NewSource[Model](entity.Source[Model]{
		Type: "gpu_nodes", Noun: "the GPU nodes", Schema: schemaOf, Read: read,
	})
}

func read(ctx context.Context, cluster *kube.Cluster, m *Model) (violations spec.Violations, diags diag.Diagnostics, err error) {
	var selector map[string]string
	var more []string
	diags.Append(m.Selector.ElementsAs(ctx, &selector, false)...)
	diags.Append(m.Resources.ElementsAs(ctx, &more, false)...)
	if diags.HasError() {
		return nil, diags, nil
	}
	query, violations := queryOf(selector)
	if len(violations) > 0 {
		return violations, nil, nil
	}
	taken, err := take(ctx, cluster, query, inventory.Counter(more))
	if err == nil {
		m.fill(taken)
	}
	return nil, nil, err
}

// queryOf turns the selector into the API's form.
func queryOf(selector map[string]string) (query kube.Query, violations spec.Violations) {
	selected, err := labels.ValidatedSelectorFromSet(selector)
	if err != nil {
		violations.Add(spec.Path{"selector"}, "Give labels of nodes, such as { \"trainyard.io/pool\" = \"h100\" }", "it is not a label selector: %s", err)
		return query, violations
	}
	return kube.Query{Labels: selected.String()}, nil
}

// take lists the nodes, then the pods. Of each it keeps what matters alone, and of the pods
// only those on these nodes.
func take(ctx context.Context, cluster *kube.Cluster, query kube.Query, counts func(corev1.ResourceName) bool) (inventory.Inventory, error) {
	nodes, err := kube.Read(ctx, cluster, kube.Node, query, func(node *corev1.Node) (inventory.Node, bool) {
		return inventory.NodeFrom(node, counts)
	})
	if err != nil || len(nodes) == 0 {
		return inventory.Take(nil, nil), err
	}
	ours := make(map[string]bool, len(nodes))
	for _, node := range nodes {
		ours[node.Name] = true
	}
	bound := kube.Query{Fields: "spec.nodeName!=," + objects.UnfinishedPods}
	pods, err := kube.Read(ctx, cluster, kube.Pod, bound, func(pod *corev1.Pod) (inventory.Pod, bool) {
		if !ours[pod.Spec.NodeName] {
			return inventory.Pod{}, false
		}
		return inventory.PodFrom(pod, counts)
	})
	return inventory.Take(nodes, pods), err
}
