// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

// Pool is a kind of node: those of a cluster that a selector picks.
type Pool struct {
	Name string
	// Selector picks the nodes whose labels have all of these values.
	Selector map[string]string
	// Accelerator is the name of a model of the catalogue; "" for nodes without.
	Accelerator string
	// Labels and Taints are given to every node of the pool.
	Labels map[string]string
	Taints []Taint
	// MIG cuts every GPU of the pool into equal parts; nil leaves them whole.
	MIG *MIG
	// TimeSlices is how many pods share one GPU in turns; below 2: one pod a GPU.
	TimeSlices int
	// Fabric is what links the nodes: one of Fabrics; "" is the network that every node has.
	Fabric string
	// Tasks are what the pool is for, of Tasks: pods find it by labels of these names.
	Tasks []string
}

// SharesGPUs says whether the device plugin needs a configuration of its own for the pool.
func (p Pool) SharesGPUs() bool { return p.MIG != nil || p.TimeSlices > 1 }

// Taint is a taint of a node.
type Taint struct{ Key, Value, Effect string }

// MIG is how GPUs are cut into parts.
type MIG struct {
	// Strategy is how a device plugin offers parts: as whole GPUs ("single") or under a resource
	// of their own ("mixed").
	Strategy string
	// Profile is the kind of part, such as 1g.10gb.
	Profile string
}

// What pools choose from.
var (
	Fabrics       = []string{"infiniband", "roce", "ethernet"}
	Tasks         = []string{"training", "inference", "development", "data"}
	MIGStrategies = []string{"single", "mixed"}
	TaintEffects  = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
)

// OwnPrefix begins the labels that Trainyard itself gives to nodes.
const OwnPrefix = "trainyard.io/"
