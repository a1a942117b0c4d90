// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// research is a queue that nothing is wrong with.
func research() Queue {
	return Queue{
		Name: "research", Parent: "lab", Weight: 3, Reclaimable: true,
		Labels: map[string]string{"stage": "prod"}, Annotations: map[string]string{"example.com/note": "any text"},
		Capability: Resources{"cpu": "100", "nvidia.com/gpu": "64"}, Deserved: Resources{"nvidia.com/gpu": "32"}, Guarantee: Resources{"nvidia.com/gpu": "8"},
		PriorityClass: &PriorityClass{Name: "research.high", Value: 1000, PreemptionPolicy: "Never"},
	}
}

func TestQueueAccepts(t *testing.T) {
	for name, change := range map[string]func(*Queue){
		"a queue with every part":              func(*Queue) {},
		"nothing but a name":                   func(q *Queue) { *q = Queue{Name: "q", Weight: 1} },
		"the largest weight":                   func(q *Queue) { q.Weight = 65535 },
		"root as the parent":                   func(q *Queue) { q.Parent = "root" },
		"equal amounts in other words":         func(q *Queue) { q.Capability["cpu"], q.Deserved["cpu"], q.Guarantee["cpu"] = "1", "1000m", "1" },
		"a guarantee without a capability":     func(q *Queue) { q.Capability = nil },
		"a whole device in thousandths":        func(q *Queue) { q.Guarantee["nvidia.com/gpu"] = "8000m" },
		"a share that a guarantee fits into":   func(q *Queue) { q.Deserved, q.Share = nil, &Share{Percent: 50, Of: Resources{"nvidia.com/gpu": "128"}} },
		"a policy that is left to its default": func(q *Queue) { q.PriorityClass.PreemptionPolicy = "" },
		"the highest priority of a user":       func(q *Queue) { q.PriorityClass.Value = 1_000_000_000 },
		"a negative priority of a class":       func(q *Queue) { q.PriorityClass.Value = -5 },
		"amounts of nothing":                   func(q *Queue) { q.Guarantee["nvidia.com/gpu"] = "0" },
		"a quantity in exponents":              func(q *Queue) { q.Capability["memory"] = "1e12" },
		"an annotation that no label could be": func(q *Queue) { q.Annotations["x"] = strings.Repeat("long ", 100) },
		"a slice of a GPU as a resource":       func(q *Queue) { q.Capability["nvidia.com/mig-1g.10gb"] = "7" },
		"a share of something that is not here": func(q *Queue) {
			q.Deserved, q.Guarantee, q.Share = nil, nil, &Share{Percent: 1, Of: Resources{"amd.com/gpu": "8"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := research()
			change(&q)
			if v := q.Validate(); len(v) > 0 {
				t.Errorf("refused: %v", v)
			}
		})
	}
}

func TestQueueRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Queue)
		want   []string // path: a part of the problem
	}{
		{"no name", func(q *Queue) { q.Name = "" }, []string{`name: "" is not a DNS label`}},
		{"neither a name nor a parent", func(q *Queue) { q.Name, q.Parent = "", "" }, []string{`name: "" is not a DNS label`}},
		{"a name that is too long", func(q *Queue) { q.Name = strings.Repeat("q", 64) }, []string{"name: the name has 64 characters"}},
		{"a name in capitals", func(q *Queue) { q.Name = "Research" }, []string{`name: "Research" is not a DNS label`}},
		{"a parent that is no name", func(q *Queue) { q.Parent = "lab/a" }, []string{`parent: "lab/a" is not a DNS label`}},
		{"itself as the parent", func(q *Queue) { q.Parent = q.Name }, []string{`parent: "research" is the queue itself`}},
		{"a weight of 0", func(q *Queue) { q.Weight = 0 }, []string{"weight: 0 is out of range"}},
		{"a negative weight", func(q *Queue) { q.Weight = -1 }, []string{"weight: -1 is out of range"}},
		{"too high a weight", func(q *Queue) { q.Weight = 65536 }, []string{"weight: 65536 is out of range"}},

		{"a quantity that is none", func(q *Queue) { q.Capability["cpu"] = "lots" }, []string{`capability["cpu"]: "lots" is not a quantity`}},
		{"a negative quantity", func(q *Queue) { q.Deserved["memory"] = "-1Gi" }, []string{`deserved["memory"]: "-1Gi" is negative`}},
		{"half a device", func(q *Queue) { q.Guarantee["nvidia.com/gpu"] = "500m" }, []string{`guarantee["nvidia.com/gpu"]: "500m" is not a whole number`}},
		{"a resource that is no name", func(q *Queue) { q.Capability["a b"] = "1" }, []string{`capability["a b"]: "a b" is not a resource name`}},

		{"a guarantee over what is deserved", func(q *Queue) { q.Guarantee["nvidia.com/gpu"] = "33" }, []string{`guarantee["nvidia.com/gpu"]: 33 is more than deserved, which is 32`}},
		{
			"a guarantee over the capability", func(q *Queue) { q.Deserved["cpu"], q.Guarantee["cpu"] = "100", "100500m" },
			[]string{`guarantee["cpu"]: 100500m is more than capability, which is 100`, `guarantee["cpu"]: 100500m is more than deserved, which is 100`},
		},
		{"more deserved than the capability", func(q *Queue) { q.Deserved["nvidia.com/gpu"] = "65" }, []string{`deserved["nvidia.com/gpu"]: 65 is more than capability, which is 64`}},
		{"a guarantee of what is not deserved", func(q *Queue) { q.Guarantee["cpu"] = "1" }, []string{`guarantee["cpu"]: the queue deserves no cpu`}},

		{"no percent", func(q *Queue) { q.Deserved, q.Guarantee, q.Share = nil, nil, &Share{Of: Resources{"cpu": "10"}} }, []string{"share.percent: 0 percent is out of range"}},
		{"over 100 percent", func(q *Queue) {
			q.Deserved, q.Guarantee, q.Share = nil, nil, &Share{Percent: 101, Of: Resources{"cpu": "10"}}
		}, []string{"share.percent: 101 percent is out of range"}},
		{"a share of what is no quantity", func(q *Queue) {
			q.Deserved, q.Guarantee, q.Share = nil, nil, &Share{Percent: 10, Of: Resources{"cpu": "x"}}
		}, []string{`share.of["cpu"]: "x" is not a quantity`}},
		{"a share beside what is deserved", func(q *Queue) { q.Share = &Share{Percent: 100, Of: Resources{"nvidia.com/gpu": "32"}} }, []string{"deserved: the share already says"}},
		{"a share over the capability", func(q *Queue) { q.Deserved, q.Share = nil, &Share{Percent: 51, Of: Resources{"nvidia.com/gpu": "128"}} }, []string{`share.of["nvidia.com/gpu"]: 65 is more than capability, which is 64`}},
		{"a guarantee over the share", func(q *Queue) { q.Deserved, q.Share = nil, &Share{Percent: 10, Of: Resources{"nvidia.com/gpu": "64"}} }, []string{`guarantee["nvidia.com/gpu"]: 8 is more than deserved, which is 6`}},

		{"a label of ours", func(q *Queue) { q.Labels["trainyard.io/owner"] = "x" }, []string{`labels["trainyard.io/owner"]:`}},
		{"a label that is too long", func(q *Queue) { q.Labels["a"] = strings.Repeat("x", 64) }, []string{`labels["a"]:`}},
		{"an annotation that is no key", func(q *Queue) { q.Annotations["a b"] = "x" }, []string{`annotations["a b"]: "a b" is not a key`}},

		{"a class without a name", func(q *Queue) { q.PriorityClass.Name = "" }, []string{`priority_class.name: "" is not a DNS name`}},
		{"the system's priorities", func(q *Queue) { q.PriorityClass.Value = 1_000_000_001 }, []string{"priority_class.value: 1000000001 is too high"}},
		{"a policy that does not exist", func(q *Queue) { q.PriorityClass.PreemptionPolicy = "Always" }, []string{`priority_class.preemption_policy: "Always" is not a preemption policy`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := research()
			test.change(&q)
			var got []string
			for _, v := range q.Validate() {
				got = append(got, fmt.Sprintf("%s: %s", v.Path, v.Problem))
				if v.Remedy == "" || strings.HasSuffix(v.Remedy, ".") {
					t.Errorf("%s: the remedy is %q; the reader adds the full stop", v.Path, v.Remedy)
				}
			}
			same := cmp.Comparer(func(whole, part string) bool { return strings.HasPrefix(whole, part) || strings.HasPrefix(part, whole) })
			if diff := cmp.Diff(test.want, got, same); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShareIsRoundedDown(t *testing.T) {
	for _, test := range []struct {
		percent         int64
		name, of, share string
	}{
		{20, "nvidia.com/gpu", "128", "25"},
		{50, "nvidia.com/gpu", "7", "3"},
		{1, "nvidia.com/gpu", "8", "0"},
		{100, "nvidia.com/gpu", "8", "8"},
		{33, "cpu", "10", "3300m"},
		{50, "cpu", "1500m", "750m"},
		{50, "memory", "1Ti", "512Gi"},
		{30, "memory", "10Gi", "3Gi"},
		{50, "memory", "1001", "500"},
		{99, "memory", "9223372036854775806", "9131138316486228047"},
	} {
		t.Run(fmt.Sprintf("%d percent of %s %s", test.percent, test.of, test.name), func(t *testing.T) {
			q := Queue{Share: &Share{Percent: test.percent, Of: Resources{test.name: test.of}}}
			if got := q.Entitled()[test.name]; !EqualQuantities(got, test.share) {
				t.Errorf("got %s, want %s", got, test.share)
			}
		})
	}
}

// Shares that make up the whole never come to more than the whole, which Volcano would refuse
// under a common parent.
func TestSharesNeverExceedTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 2000 {
		whole, percent := random.Int64N(1<<40), random.Int64N(101)
		a, b := scale(whole, percent), scale(whole, 100-percent)
		if a < 0 || b < 0 || a+b > whole || a+b < whole-1 {
			t.Fatalf("%d%% and the rest of %d come to %d and %d", percent, whole, a, b)
		}
	}
}

// What is accepted is in order: guarantee <= deserved <= capability.
func TestAcceptedQueuesAreInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	amounts := func() Resources {
		r := Resources{}
		for _, name := range []string{"cpu", "memory", "nvidia.com/gpu"} {
			if random.IntN(2) == 0 {
				r[name] = []string{"0", "1", "2", "1000m", "2000m", "3", "1Gi", "1024Mi"}[random.IntN(8)]
			}
		}
		return r
	}
	accepted := 0
	for range 20000 {
		q := Queue{Name: "q", Weight: 1, Capability: amounts(), Guarantee: amounts()}
		if random.IntN(2) == 0 {
			q.Deserved = amounts()
		} else {
			q.Share = &Share{Percent: 1 + random.Int64N(100), Of: amounts()}
		}
		if len(q.Validate()) > 0 {
			continue
		}
		accepted++
		inOrder(t, q.Guarantee, q.Entitled(), true)
		inOrder(t, q.Entitled(), q.Capability, false)
		inOrder(t, q.Guarantee, q.Capability, false)
	}
	if accepted < 500 {
		t.Errorf("only %d queues were accepted: the generator has become useless", accepted)
	}
}

// inOrder requires low <= high; where high lacks a resource that is no limit, or nothing.
func inOrder(t *testing.T, low, high Resources, absentIsNothing bool) {
	t.Helper()
	for name, text := range low {
		limit, ok := high[name]
		if !ok && absentIsNothing {
			t.Fatalf("%s: %v over %v", name, low, high)
		}
		if !ok {
			continue
		}
		l, errL := ParseQuantity(text)
		h, errH := ParseQuantity(limit)
		if errL != nil || errH != nil || l.Cmp(h) > 0 {
			t.Fatalf("%s: %v over %v", name, low, high)
		}
	}
}
