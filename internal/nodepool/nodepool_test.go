// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package nodepool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func h100() spec.Pool {
	return spec.Pool{
		Name: "h100", Selector: map[string]string{"group": "h100"}, Accelerator: "h100", Fabric: "infiniband", Tasks: []string{"training"},
		Labels: map[string]string{"rack": "r1"}, Taints: []spec.Taint{{Key: "gpu", Value: "yes", Effect: "NoSchedule"}},
		MIG: &spec.MIG{Strategy: "single", Profile: "1g.10gb"},
	}
}

func TestWanted(t *testing.T) {
	want := Want{
		Labels: map[string]string{
			"trainyard.io/cluster": "main", "trainyard.io/pool": "h100", "trainyard.io/accelerator": "h100", "trainyard.io/fabric": "infiniband",
			"trainyard.io/task-training": "true", "rack": "r1", "nvidia.com/mig.config": "all-1g.10gb", "nvidia.com/device-plugin.config": "h100",
		},
		Taints: []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}},
	}
	if diff := cmp.Diff(want, Wanted("main", h100())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	bare := Wanted("main", spec.Pool{Name: "cpu"})
	if diff := cmp.Diff(Want{Labels: map[string]string{"trainyard.io/cluster": "main", "trainyard.io/pool": "cpu"}}, bare); diff != "" {
		t.Errorf("a pool of nothing (-want +got):\n%s", diff)
	}
}

func TestAssign(t *testing.T) {
	node := func(name string, labels ...string) Node {
		n := Node{Name: name, Labels: map[string]string{}}
		for i := 0; i < len(labels); i += 2 {
			n.Labels[labels[i]] = labels[i+1]
		}
		return n
	}
	pools := map[string]spec.Pool{
		"h100": {Name: "h100", Selector: map[string]string{"group": "h100"}},
		"west": {Name: "west", Selector: map[string]string{"zone": "west", "group": "a100"}},
		"all":  {Name: "all", Selector: map[string]string{"zone": "east"}},
		"none": {Name: "none"},
	}
	got := Assign("main", pools, []Node{
		node("a", "group", "h100"), node("b", "group", "a100"), node("c", "group", "a100", "zone", "west"),
		node("d", "group", "h100", "zone", "east"), node("e", LabelCluster, "main"), node("f", LabelCluster, "other"),
	})
	names := map[string][]string{}
	for pool, nodes := range got.Pools {
		for _, n := range nodes {
			names[pool] = append(names[pool], n.Name)
		}
	}
	if diff := cmp.Diff(map[string][]string{"h100": {"a"}, "west": {"c"}}, names); diff != "" {
		t.Errorf("pools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"d": {"all", "h100"}}, got.Contested); diff != "" {
		t.Errorf("contested (-want +got):\n%s", diff)
	}
	if len(got.Left) != 1 || got.Left[0].Name != "e" {
		t.Errorf("left: %v", got.Left)
	}
}

func TestCompareNamesEveryDifference(t *testing.T) {
	want := Want{
		Labels: map[string]string{LabelPool: "p", "kept": "1", "edited": "1", "gone": "1"},
		Taints: []corev1.Taint{{Key: "kept", Effect: "NoSchedule"}, {Key: "edited", Value: "1", Effect: "NoSchedule"}, {Key: "gone", Value: "1", Effect: "NoExecute"}},
	}
	node := Node{
		Name: "n", ResourceVersion: "7", Labels: map[string]string{LabelPool: "p", "kept": "1", "edited": "2", "former": "x", "theirs": "y"},
		Taints: []corev1.Taint{
			{Key: "theirs", Effect: "NoSchedule"},
			{Key: "kept", Effect: "NoSchedule"},
			{Key: "edited", Value: "2", Effect: "NoSchedule"},
			{Key: "former", Value: "x", Effect: "NoSchedule"},
			{Key: "gone", Value: "1", Effect: "NoSchedule"},
		},
	}
	change := want.Compare(node, Given{Labels: []string{"former", "kept"}, Taints: []string{"former:NoSchedule"}})
	lines := []string{
		`Node n: metadata.labels["edited"]: "1" -> "2"`,
		`Node n: metadata.labels["gone"]: "1" -> none`,
		`Node n: metadata.labels["former"]: none -> "x"`,
		`Node n: spec.taints[edited:NoSchedule]: "1" -> "2"`,
		`Node n: spec.taints[former:NoSchedule]: none -> "x"`,
		`Node n: spec.taints[gone:NoExecute]: "1" -> none`,
	}
	if diff := cmp.Diff(lines, change.Lines()); diff != "" || change.New {
		t.Errorf("new: %v, lines (-want +got):\n%s", change.New, diff)
	}
	patch, err := change.Patch()
	if err != nil {
		t.Fatal(err)
	}
	wantPatch := `{"metadata":{"labels":{"edited":"1","former":null,"gone":"1"},"resourceVersion":"7"},"spec":{"taints":[` +
		`{"key":"theirs","effect":"NoSchedule"},{"key":"kept","effect":"NoSchedule"},{"key":"edited","value":"1","effect":"NoSchedule"},` +
		`{"key":"gone","value":"1","effect":"NoSchedule"},{"key":"gone","value":"1","effect":"NoExecute"}]}}`
	if diff := cmp.Diff(wantPatch, string(patch)); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
}

func TestBetweenSaysWhatAnotherConfigurationChanges(t *testing.T) {
	taint := func(value string) []corev1.Taint {
		return []corev1.Taint{{Key: "gpu", Value: value, Effect: "NoSchedule"}}
	}
	got := Between(
		map[string]Want{"a": {Labels: map[string]string{"x": "1", "y": "1"}, Taints: taint("yes")}, "gone": {}, "same": {Labels: map[string]string{"x": "1"}}},
		map[string]Want{"a": {Labels: map[string]string{"x": "2", "z": ""}, Taints: taint("no")}, "new": {Taints: taint("")}, "same": {Labels: map[string]string{"x": "1"}}},
	)
	want := []string{
		"pool gone: delete; its nodes lose their labels and taints",
		`pool a: labels["x"]: "1" -> "2"`, `pool a: labels["y"]: "1" -> none`, `pool a: labels["z"]: none -> ""`, `pool a: taints[gpu:NoSchedule]: "yes" -> "no"`,
		"pool new: create", `pool new: taints[gpu:NoSchedule]: none -> ""`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKeeperKeepsWhatMatters(t *testing.T) {
	keep := Keeper(map[string]spec.Pool{"h100": h100()}, map[string]Given{"old": {Labels: []string{"former"}}})
	got, _ := keep(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "3", Labels: map[string]string{"group": "h100", "former": "x", "other": "y", "rack": "r2"}},
		Spec:       corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{{Key: "theirs"}}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{"cpu": resource.MustParse("8"), "nvidia.com/gpu": resource.MustParse("8")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	})
	want := Node{
		Name: "n", ResourceVersion: "3", Labels: map[string]string{"group": "h100", "former": "x", "rack": "r2"}, Taints: []corev1.Taint{{Key: "theirs"}},
		Ready: true, Cordoned: true, Accelerators: map[string]int64{"nvidia.com/gpu": 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever stands on a node: after the change nothing is left to do, what others put there stands
// as before, and a release takes back exactly what was given.
func TestChangesConvergeAndTouchNothingElse(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		some := func(prefix string) map[string]string {
			labels := map[string]string{}
			for i := range random.IntN(4) {
				labels[fmt.Sprint(prefix, i)] = fmt.Sprint(random.IntN(2))
			}
			return labels
		}
		taints := func(prefix string) (list []corev1.Taint) {
			for key, value := range some(prefix) {
				list = append(list, corev1.Taint{Key: key, Value: value, Effect: []corev1.TaintEffect{"NoSchedule", "NoExecute"}[random.IntN(2)]})
			}
			return list
		}
		theirs := Node{Name: "n", ResourceVersion: "1", Labels: some("theirs"), Taints: taints("theirs")}
		first := Want{Labels: some("ours"), Taints: taints("ours")}
		second := Want{Labels: some("ours"), Taints: taints("ours")}
		for _, w := range []Want{first, second} {
			w.Labels[LabelCluster], w.Labels[LabelPool] = "main", "p"
		}
		node := patched(t, theirs, first.Compare(theirs, Given{}))
		node = patched(t, node, second.Compare(node, first.Given()))
		if again := second.Compare(node, first.Given()); !again.Empty() || len(again.Lines()) > 0 {
			t.Fatalf("seed %d: still to do: %v", seed, again.Lines())
		}
		released := patched(t, node, Release(node, second.Given()))
		if diff := cmp.Diff(sorted(theirs), sorted(released)); diff != "" {
			t.Fatalf("seed %d: what others put there (-before +after):\n%s", seed, diff)
		}
	}
}

// patched is what the API server makes of a node by a merge patch.
func patched(t *testing.T, node Node, c Change) Node {
	t.Helper()
	if c.Empty() {
		return node
	}
	patch, err := c.Patch()
	if err != nil {
		t.Fatal(err)
	}
	var target, change map[string]any
	before, err := json.Marshal(corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels}, Spec: corev1.NodeSpec{Taints: node.Taints}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.Unmarshal(before, &target), json.Unmarshal(patch, &change)); err != nil {
		t.Fatal(err)
	}
	after, err := json.Marshal(merge(target, change))
	if err != nil {
		t.Fatal(err)
	}
	var made corev1.Node
	if err := json.Unmarshal(after, &made); err != nil {
		t.Fatal(err)
	}
	node.Labels, node.Taints = made.Labels, made.Spec.Taints
	return node
}

func sorted(node Node) Node {
	node.Labels = maps.Clone(node.Labels)
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Taints = slices.SortedFunc(slices.Values(node.Taints), func(a, b corev1.Taint) int {
		if id(a) < id(b) {
			return -1
		}
		return 1
	})
	return node
}

// merge is RFC 7386.
func merge(target, patch map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for key, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(target, key)
		case map[string]any:
			below, _ := target[key].(map[string]any)
			target[key] = merge(below, value)
		default:
			target[key] = value
		}
	}
	return target
}
