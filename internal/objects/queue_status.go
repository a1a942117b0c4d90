// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// QueueStatus is a queue as it stands, with what Volcano's controller says of it.
type QueueStatus struct {
	spec.Queue
	// State is Open, Closed, Closing, Unknown, or "" before the controller has seen the queue.
	State string
	// Allocated is what the jobs of the queue hold.
	Allocated spec.Resources
	Jobs      JobCounts
}

// JobCounts says how many pod groups (jobs) of a queue are in each phase.
type JobCounts struct{ Pending, Inqueue, Running, Completed, Unknown int64 }

// Add counts one pod group. One that has no phase yet is pending.
func (c *JobCounts) Add(phase string) {
	switch phase {
	case "", "Pending":
		c.Pending++
	case "Inqueue":
		c.Inqueue++
	case "Running":
		c.Running++
	case "Completed":
		c.Completed++
	default:
		c.Unknown++
	}
}

// QueueStatusFrom reads the status of a queue object.
func QueueStatusFrom(object *Object) QueueStatus {
	count := func(phase string) int64 { return nested[int64](object.Object, "status", phase) }
	status := QueueStatus{
		State: QueueState(object), Allocated: textMap(object.Object, "status", "allocated"),
		Jobs: JobCounts{
			Pending: count("pending"), Inqueue: count("inqueue"), Running: count("running"),
			Completed: count("completed"), Unknown: count("unknown"),
		},
	}
	readQueue(object, &status.Queue)
	return status
}
