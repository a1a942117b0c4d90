// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package volcanostandin stands in for Volcano's queue controller where the
// real programs are not at hand. It opens new queues, obeys the OpenQueue and
// CloseQueue commands, and puts queues without a parent under root, in the way
// the real controller does. It schedules nothing and it validates nothing.
package volcanostandin

import (
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

const (
	open    = schedulingv1beta1.QueueStateOpen
	closing = schedulingv1beta1.QueueStateClosing
	closed  = schedulingv1beta1.QueueStateClosed
)

// next is the state that a queue in the given state takes on an action, with
// that many pod groups in it. A queue closes in two steps: it is Closing, and
// takes no new work, until its last pod group has gone.
func next(state schedulingv1beta1.QueueState, action busv1alpha1.Action, podGroups int) schedulingv1beta1.QueueState {
	drained := closing
	if podGroups == 0 {
		drained = closed
	}
	switch action {
	case busv1alpha1.OpenQueueAction:
		return open
	case busv1alpha1.CloseQueueAction:
		if state == closed {
			return closed
		}
		return drained
	}
	switch state {
	case "":
		return open
	case closing:
		return drained
	default:
		return state
	}
}

// isShut says whether a queue takes no new work.
func isShut(state schedulingv1beta1.QueueState) bool {
	return state == closing || state == closed
}
