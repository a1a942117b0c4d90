// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

var queueOwner = Owner{Owner: "default", Resource: "training-queue", Name: "research"}

// researchQueue is a queue with every part.
func researchQueue() spec.Queue {
	priority := int32(10)
	return spec.Queue{
		Name: "research", Parent: "lab", Weight: 3, Reclaimable: false, Priority: &priority,
		Labels: map[string]string{"stage": "prod"}, Annotations: map[string]string{"example.com/note": "night runs"},
		Capability: spec.Resources{"cpu": "1500", "memory": "16Ti", "nvidia.com/gpu": "64"},
		Deserved:   spec.Resources{"nvidia.com/gpu": "32"}, Guarantee: spec.Resources{"nvidia.com/gpu": "8"},
		Affinity: &spec.NodeGroups{Required: []string{"h100", "h200"}, Preferred: []string{"h200"}, AntiRequired: []string{"l4"}, AntiPreferred: []string{"t4"}},
		PriorityClass: &spec.PriorityClass{
			Name: "research-high", Value: 1000, PreemptionPolicy: "Never", Description: "Research that must be done by Friday.",
		},
	}
}

func TestQueueRendersGolden(t *testing.T) {
	golden(t, "queue_every_part", Queue(researchQueue(), queueOwner))
	golden(t, "queue_name_alone", Queue(spec.Queue{Name: "research", Weight: 1, Reclaimable: true}, queueOwner))
	share := spec.Queue{Name: "research", Weight: 1, Reclaimable: true, Share: &spec.Share{Percent: 20, Of: spec.Resources{"cpu": "100", "nvidia.com/gpu": "128"}}}
	golden(t, "queue_share", Queue(share, queueOwner))
}

// equalQueues compares queues up to what means the same: no map and an empty one.
var equalQueues = cmpopts.EquateEmpty()

func TestQueueFromReadsBackWhatQueueRenders(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	for range 500 {
		q := anyQueue(random)
		got, ok := QueueFrom(Queue(q, queueOwner))
		if diff := cmp.Diff(q, got, equalQueues); !ok || diff != "" {
			t.Fatalf("round trip (-want +got):\n%s", diff)
		}
	}
}

// Volcano's own type leaves out what is zero and writes quantities its own way.
func TestQueueSurvivesVolcanosOwnType(t *testing.T) {
	q := researchQueue()
	q.Capability["memory"] = "16384Gi"
	var typed volcanov1beta1.Queue
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(queue(q, queueOwner).Object, &typed); err != nil {
		t.Fatal(err)
	}
	stored := From(&typed)
	stored.SetKind("Queue")
	got, _ := QueueFrom([]*Object{stored, priorityClass(*q.PriorityClass, queueOwner)})
	sameAmounts := cmp.Comparer(func(a, b spec.Resources) bool {
		if len(a) != len(b) {
			return false
		}
		for name := range a {
			if !spec.EqualQuantities(a[name], b[name]) {
				return false
			}
		}
		return true
	})
	if diff := cmp.Diff(q, got, equalQueues, sameAmounts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAShareComesBackAsWhatItAmountsTo(t *testing.T) {
	q := spec.Queue{Name: "q", Weight: 1, Share: &spec.Share{Percent: 20, Of: spec.Resources{"nvidia.com/gpu": "128"}}}
	got, _ := QueueFrom(Queue(q, queueOwner))
	if diff := cmp.Diff(spec.Resources{"nvidia.com/gpu": "25"}, got.Deserved); diff != "" || got.Share != nil {
		t.Errorf("share %v, deserved (-want +got):\n%s", got.Share, diff)
	}
}

func TestQueueFromNothing(t *testing.T) {
	if _, ok := QueueFrom([]*Object{priorityClass(spec.PriorityClass{Name: "c"}, queueOwner)}); ok {
		t.Error("a class is no queue")
	}
	got, ok := QueueFrom([]*Object{{Object: map[string]any{"kind": "Queue", "metadata": map[string]any{"name": "q"}}}})
	if diff := cmp.Diff(spec.Queue{Name: "q", Reclaimable: true}, got); !ok || diff != "" {
		t.Errorf("an empty queue (-want +got):\n%s", diff)
	}
}

func TestQueueStatusFrom(t *testing.T) {
	object := queue(researchQueue(), queueOwner)
	object.Object["status"] = map[string]any{
		"state": "Closing", "pending": int64(1), "inqueue": int64(2), "running": int64(3), "completed": int64(4), "unknown": int64(5),
		"allocated": map[string]any{"nvidia.com/gpu": "24"},
	}
	got := QueueStatusFrom(object)
	want := QueueStatus{
		Queue: researchQueue(), State: "Closing", Allocated: spec.Resources{"nvidia.com/gpu": "24"},
		Jobs: JobCounts{Pending: 1, Inqueue: 2, Running: 3, Completed: 4, Unknown: 5},
	}
	want.Closed, want.PriorityClass = true, nil
	if diff := cmp.Diff(want, got, equalQueues); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if fresh := QueueStatusFrom(queue(researchQueue(), queueOwner)); fresh.State != "" || fresh.Closed || fresh.Jobs.Pending != 0 {
		t.Errorf("a queue that no controller has seen: %+v", fresh)
	}
}

func TestPodGroups(t *testing.T) {
	group := func(queue, phase string) *Object {
		return &Object{Object: map[string]any{
			"kind": "PodGroup", "metadata": map[string]any{"name": "pg-1", "namespace": "vision"},
			"spec": map[string]any{"queue": queue}, "status": map[string]any{"phase": phase},
		}}
	}
	for _, test := range []struct {
		name  string
		group *Object
		want  bool
	}{
		{"it waits", group("research", "Pending"), true},
		{"it runs", group("research", "Running"), true},
		{"no controller has seen it", group("research", ""), true},
		{"it has ended", group("research", "Completed"), false},
		{"it is another queue's", group("lab", "Running"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := PodGroupUnfinished(test.group, "research"); got != test.want {
				t.Errorf("unfinished = %t", got)
			}
		})
	}
	job := group("research", "Running")
	if got := PodGroupJob(job); got != "PodGroup vision/pg-1" {
		t.Errorf("one that belongs to nothing is named itself, got %q", got)
	}
	job.SetOwnerReferences([]metav1.OwnerReference{{Kind: "Job", Name: "train-7b"}})
	if got := PodGroupJob(job); got != "Job vision/train-7b" {
		t.Errorf("one that belongs to a job is named after it, got %q", got)
	}
}

// anyQueue makes a queue as QueueFrom gives it: with what it deserves, and a priority if any.
func anyQueue(random *rand.Rand) spec.Queue {
	amounts := func() (r spec.Resources) {
		for _, name := range []string{"cpu", "memory", "nvidia.com/gpu"} {
			if random.IntN(2) == 0 {
				if r == nil {
					r = spec.Resources{}
				}
				r[name] = []string{"8", "500m", "64Gi"}[random.IntN(3)]
			}
		}
		return r
	}
	names := func() []string { return []string{"h100", "h200", "l4"}[:random.IntN(4)] }
	q := spec.Queue{
		Name: "q", Weight: 1 + random.Int32N(100), Reclaimable: random.IntN(2) == 0, Parent: []string{"", "lab"}[random.IntN(2)],
		Capability: amounts(), Deserved: amounts(), Guarantee: amounts(),
	}
	if random.IntN(2) == 0 {
		priority := random.Int32N(9) - 4
		if priority == 0 {
			priority = 7
		}
		q.Priority = &priority
	}
	groups := spec.NodeGroups{Required: names(), Preferred: names(), AntiRequired: names(), AntiPreferred: names()}
	if len(groups.Required)+len(groups.Preferred)+len(groups.AntiRequired)+len(groups.AntiPreferred) > 0 {
		q.Affinity = &groups
	}
	if random.IntN(2) == 0 {
		q.Labels, q.Annotations = map[string]string{"a": "b"}, map[string]string{"c": "d"}
		q.PriorityClass = &spec.PriorityClass{Name: "c", Value: random.Int32N(100) - 50, PreemptionPolicy: "PreemptLowerPriority"}
	}
	return q
}
