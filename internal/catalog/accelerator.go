// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package catalog holds what the field calls its things: data, and the plain functions
// that look it up.
package catalog

import (
	"slices"
	"strings"
)

// accelerators are the extended resources under which device plugins advertise devices, as
// each plugin's own documentation names them. A "*" at the end stands for any rest.
var accelerators = []string{
	"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-*",
	"amd.com/gpu", "amd.com/cpx_*", "amd.com/spx_*", "amd.com/dpx_*", "amd.com/qpx_*",
	"aws.amazon.com/neuron", "aws.amazon.com/neuroncore",
	"cambricon.com/mlu*",
	"enflame.com/gcu",
	"google.com/tpu",
	"gpu.intel.com/i915", "gpu.intel.com/xe",
	"habana.ai/gaudi",
	"huawei.com/Ascend*",
	"hygon.com/dcu",
	"iluvatar.ai/gpu",
	"metax-tech.com/gpu",
	"mthreads.com/gpu",
	"qualcomm.com/qaic",
}

// portions end the names of what some plugins advertise beside the devices: their memory and
// their cores, which are not devices.
var portions = []string{"-memory", "-core", ".memory", ".cores"}

// IsAccelerator says whether a resource counts accelerators: it has a known name, or one of
// more. A "*" at the end of a name stands for any rest.
func IsAccelerator(resource string, more ...string) bool {
	match := func(name string) bool {
		if start, open := strings.CutSuffix(name, "*"); open {
			return strings.HasPrefix(resource, start)
		}
		return resource == name
	}
	if slices.ContainsFunc(more, match) {
		return true
	}
	portion := slices.ContainsFunc(portions, func(end string) bool { return strings.HasSuffix(resource, end) })
	return !portion && slices.ContainsFunc(accelerators, match)
}

// products are the node labels that name the accelerator's product: those of the vendors'
// feature discoveries first, then those of the clouds.
var products = []string{
	"nvidia.com/gpu.product",
	"amd.com/gpu.product-name", "beta.amd.com/gpu.product-name",
	"gpu.intel.com/product",
	"node.kubernetes.io/npu.chip.name", // Ascend device plugin
	"cloud.google.com/gke-accelerator", "cloud.google.com/gke-tpu-accelerator",
	"karpenter.k8s.aws/instance-gpu-name",
}

// Product is the accelerator's product by a node's labels, such as NVIDIA-H100-80GB-HBM3, or
// "" where no label names it.
func Product(labels map[string]string) string { return first(products, labels) }

// pools are the node labels that name a node's pool: ours, then those of the clouds.
var pools = []string{
	"trainyard.io/pool",
	"eks.amazonaws.com/nodegroup",
	"cloud.google.com/gke-nodepool",
	"kubernetes.azure.com/agentpool", "agentpool",
	"karpenter.sh/nodepool",
	"alibabacloud.com/nodepool-id",
	"cce.cloud.com/cce-nodepool",
	"doks.digitalocean.com/node-pool",
}

// Pool is the name of the node pool by a node's labels, or "" where no label names it.
func Pool(labels map[string]string) string { return first(pools, labels) }

func first(keys []string, labels map[string]string) string {
	for _, key := range keys {
		if labels[key] != "" {
			return labels[key]
		}
	}
	return ""
}
