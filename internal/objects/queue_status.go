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
	// How many pod groups (jobs) of the queue are in each phase.
	Pending, Inqueue, Running, Completed, Unknown int64
}

// QueueStatusFrom reads the status of a queue object.
func QueueStatusFrom(object *Object) QueueStatus {
	count := func(phase string) int64 { return nested[int64](object.Object, "status", phase) }
	status := QueueStatus{
		State: QueueState(object), Allocated: textMap(object.Object, "status", "allocated"),
		Pending: count("pending"), Inqueue: count("inqueue"), Running: count("running"),
		Completed: count("completed"), Unknown: count("unknown"),
	}
	readQueue(object, &status.Queue)
	return status
}
