// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package queuestatus

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Model is the data source as Terraform holds it.
type Model struct {
	entity.SourceCommon
	Names  types.List            `tfsdk:"names"`
	Queues map[string]queueModel `tfsdk:"queues"`
}

type queueModel struct {
	State       types.String      `tfsdk:"state"`
	Parent      types.String      `tfsdk:"parent"`
	Weight      int64             `tfsdk:"weight"`
	Priority    int64             `tfsdk:"priority"`
	Reclaimable bool              `tfsdk:"reclaimable"`
	Capability  map[string]string `tfsdk:"capability"`
	Deserved    map[string]string `tfsdk:"deserved"`
	Guarantee   map[string]string `tfsdk:"guarantee"`
	Allocated   map[string]string `tfsdk:"allocated"`
	Pending     int64             `tfsdk:"pending"`
	Inqueue     int64             `tfsdk:"inqueue"`
	Running     int64             `tfsdk:"running"`
	Completed   int64             `tfsdk:"completed"`
	Unknown     int64             `tfsdk:"unknown"`
}

func (m *Model) fill(standing map[string]objects.QueueStatus) {
	m.Queues = make(map[string]queueModel, len(standing))
	for name, status := range standing {
		m.Queues[name] = queueOf(status)
	}
}

func queueOf(status objects.QueueStatus) queueModel {
	shown := queueModel{
		State: orNull(strings.ToLower(status.State)), Parent: orNull(status.Parent),
		Weight: int64(status.Weight), Reclaimable: status.Reclaimable,
		Capability: amounts(status.Capability), Deserved: amounts(status.Deserved),
		Guarantee: amounts(status.Guarantee), Allocated: amounts(status.Allocated),
		Pending: status.Jobs.Pending, Inqueue: status.Jobs.Inqueue, Running: status.Jobs.Running,
		Completed: status.Jobs.Completed, Unknown: status.Jobs.Unknown,
	}
	if status.Priority != nil {
		shown.Priority = int64(*status.Priority)
	}
	return shown
}

// amounts is never null, so that an expression may look into it.
func amounts(list spec.Resources) map[string]string {
	if list == nil {
		return map[string]string{}
	}
	return list
}

func orNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}
