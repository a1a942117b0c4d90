// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package node simulates GPU nodes: Node objects with the labels and the
// capacity that NVIDIA's device plugin and the two feature discoveries give,
// which kwok then keeps ready.
package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Accelerator describes the machine type that carries an accelerator.
type Accelerator struct {
	// Name is the short name on the command line, such as "h100".
	Name string
	// Product and Family are as GPU feature discovery labels them.
	Product, Family string
	// ComputeMajor and ComputeMinor are the CUDA compute capability.
	ComputeMajor, ComputeMinor int
	// MemoryMiB is the memory of one GPU as NVML reports it.
	MemoryMiB int
	// GPUs is the number in one node; 0 is a node without any.
	GPUs int
	// MIG says whether the GPU can be partitioned.
	MIG bool
	// RDMA says whether the machine type has an RDMA fabric.
	RDMA bool
	// InstanceType, CPUs and MemoryGiB are those of the machine.
	InstanceType string
	CPUs         int
	MemoryGiB    int
}

// The machine types follow the public clouds' own where there is one with eight
// such GPUs (AWS EC2 instance types P4de, P5, P5en, P6, G4dn, G6, G6e), and
// NVIDIA's HGX reference elsewhere.
var accelerators = map[string]Accelerator{
	"b200": {
		Product: "NVIDIA-B200", Family: "blackwell", ComputeMajor: 10, ComputeMinor: 0, MemoryMiB: 183359,
		GPUs: 8, MIG: true, RDMA: true, InstanceType: "p6-b200.48xlarge", CPUs: 192, MemoryGiB: 2048,
	},
	"h200": {
		Product: "NVIDIA-H200", Family: "hopper", ComputeMajor: 9, ComputeMinor: 0, MemoryMiB: 143771,
		GPUs: 8, MIG: true, RDMA: true, InstanceType: "p5en.48xlarge", CPUs: 192, MemoryGiB: 2048,
	},
	"h100": {
		Product: "NVIDIA-H100-80GB-HBM3", Family: "hopper", ComputeMajor: 9, ComputeMinor: 0, MemoryMiB: 81559,
		GPUs: 8, MIG: true, RDMA: true, InstanceType: "p5.48xlarge", CPUs: 192, MemoryGiB: 2048,
	},
	"h800": {
		Product: "NVIDIA-H800", Family: "hopper", ComputeMajor: 9, ComputeMinor: 0, MemoryMiB: 81559,
		GPUs: 8, MIG: true, RDMA: true, InstanceType: "hgx-h800", CPUs: 192, MemoryGiB: 2048,
	},
	"a100": {
		Product: "NVIDIA-A100-SXM4-80GB", Family: "ampere", ComputeMajor: 8, ComputeMinor: 0, MemoryMiB: 81920,
		GPUs: 8, MIG: true, RDMA: true, InstanceType: "p4de.24xlarge", CPUs: 96, MemoryGiB: 1152,
	},
	"a800": {
		Product: "NVIDIA-A800-SXM4-80GB", Family: "ampere", ComputeMajor: 8, ComputeMinor: 0, MemoryMiB: 81920,
		GPUs: 8, MIG: true, RDMA: true, InstanceType: "hgx-a800", CPUs: 128, MemoryGiB: 1024,
	},
	"l40s": {
		Product: "NVIDIA-L40S", Family: "ada-lovelace", ComputeMajor: 8, ComputeMinor: 9, MemoryMiB: 46068,
		GPUs: 8, InstanceType: "g6e.48xlarge", CPUs: 192, MemoryGiB: 1536,
	},
	"l4": {
		Product: "NVIDIA-L4", Family: "ada-lovelace", ComputeMajor: 8, ComputeMinor: 9, MemoryMiB: 23034,
		GPUs: 8, InstanceType: "g6.48xlarge", CPUs: 192, MemoryGiB: 768,
	},
	"t4": {
		Product: "Tesla-T4", Family: "turing", ComputeMajor: 7, ComputeMinor: 5, MemoryMiB: 15360,
		GPUs: 8, InstanceType: "g4dn.metal", CPUs: 96, MemoryGiB: 384,
	},
	"cpu": {InstanceType: "m7i.16xlarge", CPUs: 64, MemoryGiB: 256},
}

// Accelerators returns the names that a pool may have, sorted.
func Accelerators() []string {
	return slices.Sorted(maps.Keys(accelerators))
}

// Lookup returns the accelerator with the short name.
func Lookup(name string) (Accelerator, error) {
	accelerator, ok := accelerators[name]
	if !ok {
		return Accelerator{}, fmt.Errorf("unknown accelerator %q: use one of %s", name, strings.Join(Accelerators(), ", "))
	}
	accelerator.Name = name
	return accelerator, nil
}
