// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

// Scheduler is how jobs are put on the nodes of a cluster.
type Scheduler struct {
	// Shares is how queues share the cluster, one of SchedulerShares: by what each deserves
	// ("capacity"), or by their weights ("proportion").
	Shares string
	// Binpack fills nodes before it takes empty ones, so that whole nodes stay free for large jobs.
	Binpack bool
	// Preempt lets a job of a higher priority take the place of another one of its queue, Reclaim
	// a queue take back what it deserves and others use.
	Preempt, Reclaim bool
	// Topology keeps a job within few hops of the network, where HyperNodes describe it.
	Topology bool
}

// SchedulerShares are the ways in which queues share a cluster.
var SchedulerShares = []string{"capacity", "proportion"}

// Validate finds what is wrong with it.
func (s Scheduler) Validate() (v Violations) {
	oneOf(&v, Path{"shares"}, s.Shares, SchedulerShares)
	return v
}
