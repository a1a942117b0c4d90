// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package queuestatus

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func TestChoose(t *testing.T) {
	standing := map[string]objects.QueueStatus{"a": {}, "b": {}, "c": {}}
	chosen, violations := choose(standing, []string{"b", "x", "a", "y"})
	if len(chosen) != 2 {
		t.Errorf("chosen: %v", chosen)
	}
	var paths []string
	for _, v := range violations {
		paths = append(paths, v.Path.String()+": "+v.Problem)
	}
	if diff := cmp.Diff([]string{`names[1]: there is no queue "x"`, `names[3]: there is no queue "y"`}, paths); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestRemedyNamesSomeQueues(t *testing.T) {
	standing := map[string]objects.QueueStatus{}
	if got := remedy(standing); got[:30] != "Name queues that exist (none)." {
		t.Error(got)
	}
	for i := range 12 {
		standing[fmt.Sprintf("q%02d", i)] = objects.QueueStatus{}
	}
	const want = "Name queues that exist (q00, q01, q02, q03, q04, q05, q06, q07, q08, q09 and 2 more)."
	if got := remedy(standing); got[:len(want)] != want {
		t.Error(got)
	}
}

func TestAQueueIsShownWithoutNulls(t *testing.T) {
	priority := int32(5)
	full := objects.QueueStatus{
		Queue: spec.Queue{Parent: "root", Weight: 2, Priority: &priority, Reclaimable: true, Capability: spec.Resources{"cpu": "1"}},
		State: objects.QueueClosing, Jobs: objects.JobCounts{Running: 1},
	}
	none := map[string]string{}
	for name, test := range map[string]struct {
		status objects.QueueStatus
		want   queueModel
	}{
		"a busy queue": {full, queueModel{
			State: types.StringValue("closing"), Parent: types.StringValue("root"), Weight: 2, Priority: 5, Reclaimable: true, Running: 1,
			Capability: map[string]string{"cpu": "1"}, Deserved: none, Guarantee: none, Allocated: none,
		}},
		"one that no controller has seen": {objects.QueueStatus{}, queueModel{
			State: types.StringNull(), Parent: types.StringNull(), Capability: none, Deserved: none, Guarantee: none, Allocated: none,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, queueOf(test.status)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
