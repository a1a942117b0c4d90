// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpunodes

import (
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/inventory"
)

// Model is the data source as Terraform holds it.
type Model struct {
	entity.SourceCommon
	Selector      types.Map             `tfsdk:"selector"`
	Resources     types.List            `tfsdk:"resources"`
	Nodes         []nodeModel           `tfsdk:"nodes"`
	ByPool        map[string]groupModel `tfsdk:"by_pool"`
	ByAccelerator map[string]groupModel `tfsdk:"by_accelerator"`
	Allocatable   map[string]string     `tfsdk:"allocatable"`
	Allocated     map[string]string     `tfsdk:"allocated"`
	Free          map[string]string     `tfsdk:"free"`
}

type nodeModel struct {
	Name          string           `tfsdk:"name"`
	Pool          types.String     `tfsdk:"pool"`
	Accelerator   string           `tfsdk:"accelerator"`
	Ready         bool             `tfsdk:"ready"`
	Unschedulable bool             `tfsdk:"unschedulable"`
	Allocatable   map[string]int64 `tfsdk:"allocatable"`
	Allocated     map[string]int64 `tfsdk:"allocated"`
	Free          map[string]int64 `tfsdk:"free"`
	Taints        []taintModel     `tfsdk:"taints"`
}

type taintModel struct {
	Key    string `tfsdk:"key"`
	Value  string `tfsdk:"value"`
	Effect string `tfsdk:"effect"`
}

type groupModel struct {
	Nodes       int64            `tfsdk:"nodes"`
	Ready       int64            `tfsdk:"ready"`
	Usable      int64            `tfsdk:"usable"`
	Allocatable map[string]int64 `tfsdk:"allocatable"`
	Allocated   map[string]int64 `tfsdk:"allocated"`
	Free        map[string]int64 `tfsdk:"free"`
}

// fill writes the computed part. Nothing in it is null but the pool of a node in none.
func (m *Model) fill(taken inventory.Inventory) {
	m.Nodes = make([]nodeModel, 0, len(taken.Nodes))
	for _, node := range taken.Nodes {
		m.Nodes = append(m.Nodes, nodeOf(node))
	}
	m.ByPool, m.ByAccelerator = groups(taken.ByPool), groups(taken.ByAccelerator)
	m.Allocatable, m.Allocated, m.Free = texts(taken.Total.Allocatable), texts(taken.Total.Allocated), texts(taken.Total.Free)
}

func nodeOf(node inventory.Node) nodeModel {
	shown := nodeModel{
		Name: node.Name, Accelerator: node.Accelerator, Ready: node.Ready, Unschedulable: node.Unschedulable,
		Allocatable: devices(node.Allocatable), Allocated: devices(node.Allocated), Free: devices(node.Free),
		Taints: make([]taintModel, 0, len(node.Taints)),
	}
	if node.Pool != "" {
		shown.Pool = types.StringValue(node.Pool)
	}
	for _, taint := range node.Taints {
		shown.Taints = append(shown.Taints, taintModel{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)})
	}
	return shown
}

func groups(of map[string]inventory.Group) map[string]groupModel {
	shown := make(map[string]groupModel, len(of))
	for name, group := range of {
		shown[name] = groupModel{
			Nodes: int64(group.Nodes), Ready: int64(group.Ready), Usable: int64(group.Usable),
			Allocatable: devices(group.Allocatable), Allocated: devices(group.Allocated), Free: devices(group.Free),
		}
	}
	return shown
}

// devices are the accelerators of a list, as numbers.
func devices(list corev1.ResourceList) map[string]int64 {
	counts := map[string]int64{}
	for name, quantity := range list {
		if inventory.IsDevice(name) {
			counts[string(name)] = quantity.Value()
		}
	}
	return counts
}

// texts are all resources of a list as quantities, accelerators without a suffix (1000, where
// Kubernetes would write 1k), so that an expression can take them for numbers.
func texts(list corev1.ResourceList) map[string]string {
	amounts := map[string]string{}
	for name, quantity := range list {
		amounts[string(name)] = quantity.String()
		if inventory.IsDevice(name) {
			amounts[string(name)] = strconv.FormatInt(quantity.Value(), 10)
		}
	}
	return amounts
}
