// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package volcanostandin

import (
	"testing"

	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

func TestNextState(t *testing.T) {
	const (
		sync      = busv1alpha1.SyncQueueAction
		openIt    = busv1alpha1.OpenQueueAction
		closeIt   = busv1alpha1.CloseQueueAction
		fresh     = schedulingv1beta1.QueueState("")
		unknown   = schedulingv1beta1.QueueStateUnknown
		noGroups  = 0
		oneGroup  = 1
		manyGroup = 40
	)
	tests := map[string]struct {
		state     schedulingv1beta1.QueueState
		action    busv1alpha1.Action
		podGroups int
		want      schedulingv1beta1.QueueState
	}{
		"a new queue opens":                        {fresh, sync, noGroups, open},
		"a new queue with work opens":              {fresh, sync, oneGroup, open},
		"an open queue stays open":                 {open, sync, manyGroup, open},
		"an empty queue closes at once":            {open, closeIt, noGroups, closed},
		"a busy queue is closing first":            {open, closeIt, oneGroup, closing},
		"a closing queue waits for its last group": {closing, sync, oneGroup, closing},
		"a closing queue closes when empty":        {closing, sync, noGroups, closed},
		"closing again changes nothing":            {closing, closeIt, manyGroup, closing},
		"closing a closed queue changes nothing":   {closed, closeIt, noGroups, closed},
		"a closed queue stays closed":              {closed, sync, noGroups, closed},
		"a closed queue opens":                     {closed, openIt, noGroups, open},
		"a closing queue opens":                    {closing, openIt, manyGroup, open},
		"an unknown queue opens when told":         {unknown, openIt, noGroups, open},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := next(test.state, test.action, test.podGroups); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
