// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/nodepool"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

const (
	// atOnce is how many nodes are written at a time. The API server's own flow control has the
	// last word.
	atOnce = 32
	// mostTries bounds how often a node is read again that changes while it is written.
	mostTries = 5
	// mostLines is how many lines one pool may fill in a plan.
	mostLines = 20
)

// nodes is the part of a cluster that gives the nodes of its pools their labels and taints.
type nodes struct {
	cluster *kube.Cluster
	name    string
	pools   map[string]spec.Pool

	seen *fleet // what the last look found: thousands of nodes are listed once a run
}

// nodesRecord is what an earlier run gave to the nodes of each pool.
type nodesRecord struct {
	Given map[string]nodepool.Given `json:"given"`
}

func (n *nodes) Name() string  { return "nodes" }
func (*nodes) Needs() []string { return nil }

func readNodesRecord(raw json.RawMessage) (record nodesRecord, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &record)
	}
	return record, err
}

// look lists the cluster's nodes and finds what each lacks.
func (n *nodes) look(ctx context.Context, record nodesRecord) (fleet, error) {
	if n.seen != nil {
		return *n.seen, nil
	}
	all, err := kube.Read(ctx, n.cluster, kube.Node, kube.Query{}, nodepool.Keeper(n.pools, record.Given))
	if err != nil {
		return fleet{}, err
	}
	f := fleet{Assignment: nodepool.Assign(n.name, n.pools, all), changes: map[string][]nodepool.Change{}}
	for name, members := range f.Pools {
		want := nodepool.Wanted(n.name, n.pools[name])
		for _, node := range members {
			if change := want.Compare(node, record.Given[node.Labels[nodepool.LabelPool]]); !change.Empty() {
				f.changes[name] = append(f.changes[name], change)
			}
		}
	}
	for _, node := range f.Left {
		pool := node.Labels[nodepool.LabelPool]
		if change := nodepool.Release(node, record.Given[pool]); !change.Empty() {
			f.changes[pool] = append(f.changes[pool], change)
		}
	}
	n.seen = &f
	return f, nil
}

// fleet is what stands, by pool, and what each node lacks.
type fleet struct {
	nodepool.Assignment
	changes map[string][]nodepool.Change
}

// lines says what is to be done, pool by pool, and no more than fits a screen.
func (f fleet) lines(say func(nodepool.Change) []string) (lines []string) {
	for _, pool := range slices.Sorted(maps.Keys(f.changes)) {
		var all []string
		for _, change := range f.changes[pool] {
			if len(all) >= mostLines { // counted, and not shown
				all = append(all, change.Lines()...)
				continue
			}
			if change.New {
				all = append(all, fmt.Sprintf("Node %s: joined pool %s, and waits for its labels and taints", change.Node.Name, pool))
				continue
			}
			all = append(all, say(change)...)
		}
		if more := len(all) - mostLines; more > 0 {
			all = append(all[:mostLines], fmt.Sprintf("Pool %s: %d more of the kind", pool, more))
		}
		lines = append(lines, all...)
	}
	return lines
}

// contested is an error where a node belongs to several pools.
func (f fleet) contested() error {
	var all []string
	for _, node := range slices.Sorted(maps.Keys(f.Contested)) {
		all = append(all, fmt.Sprintf("node %s is picked by the pools %s", node, strings.Join(f.Contested[node], " and ")))
	}
	if len(all) == 0 {
		return nil
	}
	if more := len(all) - mostLines; more > 0 {
		all = append(all[:mostLines], fmt.Sprintf("and %d more", more))
	}
	return spec.At(spec.Path{"pools"}, fmt.Errorf("%s. Make the selectors tell the pools apart", strings.Join(all, "; ")))
}

// unready says which pools have no nodes, or none that is ready.
func (f fleet) unready(pools map[string]spec.Pool) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		switch members := f.Pools[name]; {
		case len(members) == 0:
			all = append(all, fmt.Sprintf("the selector of pool %s picks no node", name))
		case !slices.ContainsFunc(members, func(node nodepool.Node) bool { return node.Ready }):
			all = append(all, fmt.Sprintf("none of the %d nodes of pool %s is ready", len(members), name))
		}
	}
	return strings.Join(all, "; ")
}

// Observe says what somebody changed on the nodes, and which of them are new.
func (n *nodes) Observe(ctx context.Context, raw json.RawMessage) (assembly.Standing, error) {
	record, err := readNodesRecord(raw)
	if err != nil {
		return assembly.Standing{}, err
	}
	f, err := n.look(ctx, record)
	if err != nil {
		return assembly.Standing{}, err
	}
	return assembly.Standing{Drift: f.lines(n.blame(ctx)), Unready: f.unready(n.pools), Record: raw}, nil
}

// blame says what is not as it should be on a node, and who is behind it: the list of nodes does
// not carry that, so a node is read for it. One that cannot be read is told of without.
func (n *nodes) blame(ctx context.Context) func(nodepool.Change) []string {
	return func(change nodepool.Change) []string {
		live, err := n.cluster.Whole(ctx, kube.Node, "", change.Node.Name)
		if err != nil || live == nil {
			return change.Lines()
		}
		return change.By(func(path plan.Path) string { return plan.Author(live, path) })
	}
}

// Preview refuses nodes that several pools pick, and says what will be put right of what the last
// look found.
func (n *nodes) Preview(ctx context.Context, raw json.RawMessage, found []string) (lines []string, err error) {
	for _, line := range found {
		lines = append(lines, "repair "+line)
	}
	record, err := readNodesRecord(raw)
	if err != nil || n.cluster == nil {
		return lines, err
	}
	f, err := n.look(ctx, record)
	if err != nil {
		return nil, err
	}
	return lines, f.contested()
}

// Apply gives every node what its pool has, and takes back what an earlier run gave.
func (n *nodes) Apply(ctx context.Context, raw json.RawMessage) (out assembly.Outcome, err error) {
	out.Record = raw
	record, err := readNodesRecord(raw)
	if err != nil {
		return out, err
	}
	f, err := n.look(ctx, record)
	if err := errors.Join(err, f.contested()); err != nil {
		return out, err
	}
	out.Changed = f.lines(nodepool.Change.Lines)
	// What is given now and what was given before: a run that ends here takes back both.
	next := nodesRecord{Given: map[string]nodepool.Given{}}
	for name, pool := range n.pools {
		next.Given[name] = nodepool.Wanted(n.name, pool).Given()
	}
	if out.Record, err = json.Marshal(next.with(record)); err != nil {
		return out, err
	}
	n.seen = nil
	if out.Touched, err = n.write(ctx, f, record); err != nil {
		return out, err
	}
	if out.Record, err = json.Marshal(next); err != nil {
		return out, err
	}
	if unready := f.unready(n.pools); unready != "" {
		out.Touched = true // what is there of the cluster is worth keeping
		return out, errors.New(unready)
	}
	return out, nil
}

// with is the record and, beside it, what another one says.
func (r nodesRecord) with(other nodesRecord) nodesRecord {
	both := nodesRecord{Given: maps.Clone(r.Given)}
	for name, given := range other.Given {
		both.Given[name] = both.Given[name].And(given)
	}
	return both
}

// write carries out the changes, many nodes at a time, and goes on where one fails.
func (n *nodes) write(ctx context.Context, f fleet, record nodesRecord) (touched bool, err error) {
	var (
		mu       sync.Mutex
		failures []error
		done     int
		group    errgroup.Group
	)
	total := 0
	for _, changes := range f.changes {
		total += len(changes)
	}
	group.SetLimit(atOnce)
	for _, changes := range f.changes {
		for _, change := range changes {
			group.Go(func() error {
				err := n.change(ctx, change, record)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failures = append(failures, fmt.Errorf("node %s: %w", change.Node.Name, err))
					return nil
				}
				if done++; done%500 == 0 {
					tflog.Info(ctx, "Nodes get their labels and taints", map[string]any{"done": done, "of": total})
				}
				return nil
			})
		}
	}
	_ = group.Wait() // each node keeps its own error
	if more := len(failures) - mostLines; more > 0 {
		failures = append(failures[:mostLines], fmt.Errorf("and %d more nodes", more))
	}
	return done > 0, errors.Join(failures...)
}

// change carries out one change. A node that has changed since it was read is read again.
func (n *nodes) change(ctx context.Context, change nodepool.Change, record nodesRecord) error {
	for try := 1; ; try++ {
		patch, err := change.Patch()
		if err != nil {
			return err
		}
		err = n.cluster.Merge(ctx, kube.Node, "", change.Node.Name, patch)
		switch {
		case kube.IsNotFound(err):
			return nil // it has gone; what it lacked does not matter
		case !apierrors.IsConflict(err) || try == mostTries:
			return err
		}
		if change, err = n.again(ctx, change.Node.Name, record); err != nil || change.Empty() {
			return err
		}
	}
}

// again finds what one node lacks now.
func (n *nodes) again(ctx context.Context, name string, record nodesRecord) (nodepool.Change, error) {
	query := kube.Query{Fields: "metadata.name=" + name}
	fresh, err := kube.Read(ctx, n.cluster, kube.Node, query, nodepool.Keeper(n.pools, record.Given))
	if err != nil || len(fresh) == 0 {
		return nodepool.Change{}, err
	}
	node, assigned := fresh[0], nodepool.Assign(n.name, n.pools, fresh)
	before := record.Given[node.Labels[nodepool.LabelPool]]
	for pool := range assigned.Pools {
		return nodepool.Wanted(n.name, n.pools[pool]).Compare(node, before), nil
	}
	if len(assigned.Left) > 0 {
		return nodepool.Release(node, before), nil
	}
	return nodepool.Change{}, nil
}

// Remove takes back from every node what its pool gave. The nodes themselves stay.
func (n *nodes) Remove(ctx context.Context, raw json.RawMessage) ([]string, error) {
	record, err := readNodesRecord(raw)
	if err != nil {
		return nil, err
	}
	none := &nodes{cluster: n.cluster, name: n.name}
	f, err := none.look(ctx, record)
	if err != nil {
		return nil, err
	}
	_, err = none.write(ctx, f, record)
	return nil, err
}
