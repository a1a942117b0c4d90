// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestTake(t *testing.T) {
	eight := func(name, pool string) Node {
		return Node{Name: name, Pool: pool, Accelerator: "H100", Ready: true, Allocatable: amounts("cpu", "100", "nvidia.com/gpu", "8")}
	}
	cordoned, lost, shrunk := eight("n3", "a"), eight("n4", "b"), eight("n5", "b")
	cordoned.Unschedulable, lost.Ready = true, false
	shrunk.Allocatable = amounts("cpu", "100", "nvidia.com/gpu", "2")
	pods := []Pod{
		{"n1", amounts("cpu", "10", "nvidia.com/gpu", "4")},
		{"n1", amounts("cpu", "10", "nvidia.com/gpu", "2")},
		{"n3", amounts("nvidia.com/gpu", "8")},
		{"n5", amounts("nvidia.com/gpu", "5")},
		{"elsewhere", amounts("nvidia.com/gpu", "8")},
	}
	got := Take([]Node{shrunk, lost, cordoned, eight("n2", "a"), eight("n1", "a")}, pods)

	type row struct{ Allocatable, Allocated, Free string }
	rowOf := func(allocatable, allocated, free corev1.ResourceList) row {
		const gpu = "nvidia.com/gpu"
		return row{texts(allocatable)[gpu], texts(allocated)[gpu], texts(free)[gpu]}
	}
	nodes := map[string]row{}
	order := ""
	for _, node := range got.Nodes {
		order += node.Name + " "
		nodes[node.Name] = rowOf(node.Allocatable, node.Allocated, node.Free)
	}
	if order != "n1 n2 n3 n4 n5 " {
		t.Errorf("nodes are in the order of their names, got %s", order)
	}
	want := map[string]row{"n1": {"8", "6", "2"}, "n2": {"8", "0", "8"}, "n3": {"8", "8", "0"}, "n4": {"8", "0", "8"}, "n5": {"2", "5", "0"}}
	if diff := cmp.Diff(want, nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	type sum struct {
		Nodes, Ready, Usable int
		Row                  row
	}
	sums := map[string]sum{}
	for pool, group := range got.ByPool {
		sums[pool] = sum{group.Nodes, group.Ready, group.Usable, rowOf(group.Allocatable, group.Allocated, group.Free)}
	}
	sums["all"] = sum{got.Total.Nodes, got.Total.Ready, got.Total.Usable, rowOf(got.Total.Allocatable, got.Total.Allocated, got.Total.Free)}
	wantSums := map[string]sum{
		"a": {3, 3, 2, row{"16", "6", "10"}}, "b": {2, 1, 1, row{"2", "5", "0"}}, "all": {5, 4, 3, row{"18", "11", "10"}},
	}
	if diff := cmp.Diff(wantSums, sums); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
}

func TestTakeOfAPoolThatIsDownNamesItsResources(t *testing.T) {
	got := Take([]Node{{Name: "n1", Pool: "a", Accelerator: "H100", Allocatable: amounts("nvidia.com/gpu", "8")}}, nil)
	if diff := cmp.Diff(map[string]string{"nvidia.com/gpu": "0"}, texts(got.ByPool["a"].Free)); diff != "" {
		t.Errorf("free (-want +got):\n%s", diff)
	}
}

// What holds of any cluster: groups partition the whole, and where no node holds more than
// it offers, what is free is what is offered less what is held.
func TestTakeAddsUp(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for round := range 300 {
		nodes, pods, over := anyCluster(random)
		got := Take(nodes, pods)
		for _, partition := range []map[string]Group{got.ByPool, got.ByAccelerator} {
			whole := Group{Allocatable: corev1.ResourceList{}, Allocated: corev1.ResourceList{}, Free: corev1.ResourceList{}}
			for _, group := range partition {
				whole.Nodes += group.Nodes
				whole.Ready += group.Ready
				whole.Usable += group.Usable
				add(whole.Allocatable, group.Allocatable)
				add(whole.Allocated, group.Allocated)
				add(whole.Free, group.Free)
				balanced(t, round, group, over)
			}
			if diff := cmp.Diff(shown(got.Total), shown(whole)); len(nodes) > 0 && diff != "" {
				t.Fatalf("round %d: the groups do not make the whole (-whole +groups):\n%s", round, diff)
			}
		}
		balanced(t, round, got.Total, over)
	}
}

func balanced(t *testing.T, round int, group Group, over bool) {
	t.Helper()
	if group.Usable > group.Ready || group.Ready > group.Nodes {
		t.Fatalf("round %d: %d usable of %d ready of %d nodes", round, group.Usable, group.Ready, group.Nodes)
	}
	for name, free := range group.Free {
		rest := group.Allocatable[name].DeepCopy()
		rest.Sub(group.Allocated[name])
		if free.Sign() < 0 || free.Cmp(group.Allocatable[name]) > 0 || free.Cmp(rest) < 0 {
			t.Fatalf("round %d: %s free of %s, where %s are held", round, free.String(), name, rest.String())
		}
		if !over && free.Cmp(rest) != 0 {
			t.Fatalf("round %d: %s: free is %s, offered less held is %s", round, name, free.String(), rest.String())
		}
	}
}

func shown(group Group) string {
	return fmt.Sprint(group.Nodes, group.Ready, group.Usable, texts(group.Allocatable), texts(group.Allocated), texts(group.Free))
}

// anyCluster makes nodes and pods; over says whether a node may hold more than it offers.
func anyCluster(random *rand.Rand) (nodes []Node, pods []Pod, over bool) {
	over = random.IntN(3) == 0
	for i := range random.IntN(12) {
		offered := random.IntN(9)
		node := Node{
			Name: fmt.Sprintf("n%d", i), Pool: []string{"", "a", "b"}[random.IntN(3)], Accelerator: []string{"H100", "L4"}[random.IntN(2)],
			Ready: random.IntN(4) > 0, Unschedulable: random.IntN(5) == 0,
			Allocatable: amounts("cpu", strconv.Itoa(100+random.IntN(50)), "nvidia.com/gpu", strconv.Itoa(offered)),
		}
		nodes = append(nodes, node)
		for offered > 0 || (over && random.IntN(2) == 0) {
			held := 1 + random.IntN(max(1, offered))
			offered -= held
			pods = append(pods, Pod{node.Name, amounts("cpu", "1500m", "nvidia.com/gpu", strconv.Itoa(held))})
			if random.IntN(3) == 0 {
				break
			}
		}
	}
	return nodes, pods, over
}
