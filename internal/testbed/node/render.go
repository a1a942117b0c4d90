// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Labels, annotations and resources of simulated nodes.
const (
	// PoolLabel names the pool of a node.
	PoolLabel = "eks.amazonaws.com/nodegroup"
	// KwokAnnotation with KwokValue puts a node under kwok.
	KwokAnnotation = "kwok.x-k8s.io/node"
	KwokValue      = "fake"
	// SimulatedLabel marks the nodes that the testbed made and may remove.
	SimulatedLabel = "trainyard.io/simulated"
	// GPUResource is the extended resource of NVIDIA's device plugin.
	GPUResource corev1.ResourceName = "nvidia.com/gpu"
)

// What a kubelet keeps for the system and itself; allocatable lacks it.
const (
	reservedCPUs       = 2
	reservedMemoryGiB  = 8
	ephemeralGiB       = 1024
	reservedStorageGiB = 24
	podsPerNode        = 110
)

// Render returns all nodes of the pools, pool by pool.
func Render(pools []Pool, kubernetesVersion string) ([]corev1.Node, error) {
	if err := Validate(pools); err != nil {
		return nil, err
	}
	nodes := make([]corev1.Node, 0, Total(pools))
	for _, pool := range pools {
		accelerator, err := Lookup(pool.Accelerator)
		if err != nil {
			return nil, err
		}
		for i := range pool.Nodes {
			rendered := render(accelerator, i, kubernetesVersion)
			rendered.Status.Addresses = addresses(rendered.Name, len(nodes))
			nodes = append(nodes, rendered)
		}
	}
	return nodes, nil
}

func render(a Accelerator, index int, kubernetesVersion string) corev1.Node {
	name := fmt.Sprintf("%s-%03d", a.Name, index)
	return corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Labels:      labels(a, name, index),
			Annotations: map[string]string{KwokAnnotation: KwokValue},
		},
		Status: corev1.NodeStatus{
			Capacity:    resources(a, 0, 0, 0),
			Allocatable: resources(a, reservedCPUs, reservedMemoryGiB, reservedStorageGiB),
			NodeInfo: corev1.NodeSystemInfo{
				Architecture: "amd64", OperatingSystem: "linux",
				OSImage: "Ubuntu 22.04.5 LTS", KernelVersion: kernelVersion,
				ContainerRuntimeVersion: "containerd://2.1.4",
				KubeletVersion:          kubernetesVersion,
			},
		},
	}
}

// addresses gives the node with that place among all nodes its own address.
func addresses(name string, place int) []corev1.NodeAddress {
	return []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.128.%d.%d", place/250, place%250+1)},
		{Type: corev1.NodeHostName, Address: name},
	}
}

func resources(a Accelerator, cpus, memoryGiB, storageGiB int) corev1.ResourceList {
	list := corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewQuantity(int64(a.CPUs-cpus), resource.DecimalSI),
		corev1.ResourceMemory:           gibibytes(a.MemoryGiB - memoryGiB),
		corev1.ResourceEphemeralStorage: gibibytes(ephemeralGiB - storageGiB),
		corev1.ResourcePods:             *resource.NewQuantity(podsPerNode, resource.DecimalSI),
	}
	if a.GPUs > 0 {
		list[GPUResource] = *resource.NewQuantity(int64(a.GPUs), resource.DecimalSI)
	}
	return list
}

func gibibytes(n int) resource.Quantity {
	return *resource.NewQuantity(int64(n)<<30, resource.BinarySI)
}

// labels are those of the kubelet and the cloud, then of the discoveries.
func labels(a Accelerator, name string, index int) map[string]string {
	set := map[string]string{
		"kubernetes.io/arch":               "amd64",
		"kubernetes.io/hostname":           name,
		"kubernetes.io/os":                 "linux",
		"node.kubernetes.io/instance-type": a.InstanceType,
		"topology.kubernetes.io/region":    "testbed",
		"topology.kubernetes.io/zone":      "testbed-" + string(rune('a'+index%3)),
		PoolLabel:                          a.Name,
		SimulatedLabel:                     "true",
	}
	maps.Copy(set, nodeFeatures(a))
	if a.GPUs > 0 {
		maps.Copy(set, gpuFeatures(a))
	}
	return set
}

// The driver branch that the simulated machines run.
const (
	driverMajor, driverMinor, driverRevision = "570", "172", "08"
	cudaMajor, cudaMinor                     = "12", "8"
	kernelVersion                            = "6.8.0-60-generic"
)

// nodeFeatures are the labels of Node Feature Discovery (with the vendor-only
// PCI labels that the GPU operator configures).
func nodeFeatures(a Accelerator) map[string]string {
	const prefix = "feature.node.kubernetes.io/"
	set := map[string]string{
		prefix + "cpu-model.vendor_id":          "Intel",
		prefix + "kernel-version.full":          kernelVersion,
		prefix + "kernel-version.major":         "6",
		prefix + "kernel-version.minor":         "8",
		prefix + "system-os_release.ID":         "ubuntu",
		prefix + "system-os_release.VERSION_ID": "22.04",
	}
	if a.GPUs > 0 {
		set[prefix+"pci-10de.present"] = "true" // NVIDIA
	}
	if a.RDMA {
		set[prefix+"pci-15b3.present"] = "true" // Mellanox
		set[prefix+"rdma.available"] = "true"
		set[prefix+"rdma.capable"] = "true"
	}
	return set
}

// gpuFeatures are the labels of GPU feature discovery without its timestamp,
// see the table in NVIDIA/k8s-device-plugin docs/gpu-feature-discovery.
func gpuFeatures(a Accelerator) map[string]string {
	set := map[string]string{
		"cuda.driver.major":            driverMajor,
		"cuda.driver.minor":            driverMinor,
		"cuda.driver.rev":              driverRevision,
		"cuda.driver-version.full":     driverMajor + "." + driverMinor + "." + driverRevision,
		"cuda.driver-version.major":    driverMajor,
		"cuda.driver-version.minor":    driverMinor,
		"cuda.driver-version.revision": driverRevision,
		"cuda.runtime.major":           cudaMajor,
		"cuda.runtime.minor":           cudaMinor,
		"cuda.runtime-version.full":    cudaMajor + "." + cudaMinor,
		"cuda.runtime-version.major":   cudaMajor,
		"cuda.runtime-version.minor":   cudaMinor,
		"gpu.compute.major":            strconv.Itoa(a.ComputeMajor),
		"gpu.compute.minor":            strconv.Itoa(a.ComputeMinor),
		"gpu.count":                    strconv.Itoa(a.GPUs),
		"gpu.family":                   a.Family,
		"gpu.machine":                  a.InstanceType,
		"gpu.memory":                   strconv.Itoa(a.MemoryMiB),
		"gpu.mode":                     "compute",
		"gpu.present":                  "true",
		"gpu.product":                  a.Product,
		"gpu.replicas":                 "1",
		"gpu.sharing-strategy":         "none",
		"mig.capable":                  strconv.FormatBool(a.MIG),
		"mig.strategy":                 "single",
		"mps.capable":                  "false",
		"vgpu.present":                 "false",
	}
	prefixed := make(map[string]string, len(set))
	for key, value := range set {
		prefixed["nvidia.com/"+key] = value
	}
	return prefixed
}
