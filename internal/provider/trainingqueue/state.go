// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package trainingqueue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Opening and closing are commands to Volcano's controller, not fields: it reads a Command
// object, sets the state in the queue's status and deletes the Command.
const (
	openQueue  = "OpenQueue"
	closeQueue = "CloseQueue"
)

// commandNamespace is where vcctl puts commands for queues, which have no namespace.
const commandNamespace = "default"

// stateDrift compares the state, which Volcano keeps in the status. A queue that no
// controller has seen yet has none, and takes jobs as soon as one has.
func stateDrift(_ context.Context, m *Model, have []*objects.Object) []string {
	for _, object := range have {
		if object.GetKind() != kube.Queue.Kind {
			continue
		}
		state := objects.QueueState(object)
		if state != "" && isClosed(state) != (m.State.ValueString() == closed) {
			return []string{fmt.Sprintf("%s: status.state: %q -> %q", objects.Ref(object), m.State.ValueString(), strings.ToLower(state))}
		}
	}
	return nil
}

func isClosed(state string) bool {
	return state == objects.QueueClosed || state == objects.QueueClosing
}

// prepare makes a queue that is Closing ready for changes, which Volcano refuses until it is
// Closed or open again.
func prepare(ctx context.Context, run *engine.Run, m *Model) error {
	live, err := run.Cluster.Get(ctx, kube.Queue, "", m.Name.ValueString())
	if err != nil || live == nil || objects.QueueState(live) != objects.QueueClosing {
		return err
	}
	if m.State.ValueString() == closed {
		return awaitEmpty(ctx, run.Cluster, live)
	}
	return settle(ctx, run, m)
}

// settle opens or closes the queue where its state is not as wanted.
func settle(ctx context.Context, run *engine.Run, m *Model) error {
	live, err := run.Cluster.Lookup(ctx, kube.Queue, "", m.Name.ValueString())
	if err != nil {
		return err
	}
	if live == nil {
		return errors.New("the queue is gone again")
	}
	state, wantClosed := objects.QueueState(live), m.State.ValueString() == closed
	if isClosed(state) == wantClosed {
		return nil
	}
	to, back := openQueue, closeQueue
	if wantClosed {
		to, back = closeQueue, openQueue
	}
	return run.Then(ctx, "take back "+to,
		func(ctx context.Context) error { return command(ctx, run.Cluster, live, to) },
		func(ctx context.Context) error { return command(ctx, run.Cluster, live, back) })
}

// reissue is after how long a command that shows no effect is given again.
const reissue = 5 * time.Second

// command has Volcano open or close a queue and waits until its state says so.
//
// Volcano's controller deletes a command before it carries it out, so one is lost when the
// controller ends in between; and a queue that it has just seen for the first time may be
// opened a moment after a command closed it. A command goes out only once the queue has a
// state, therefore, and again where none shows an effect.
func command(ctx context.Context, cluster *kube.Cluster, queue *objects.Object, action string) error {
	order := commandFor(queue, action)
	var given time.Time
	return kube.Await(ctx, fmt.Sprintf("Volcano to carry out %s on %s", action, objects.Ref(queue)), func(ctx context.Context) (bool, string, error) {
		live, err := cluster.Get(ctx, kube.Queue, "", queue.GetName())
		if err != nil || live == nil {
			return live == nil, "", err
		}
		state := objects.QueueState(live)
		if state == "" {
			return false, "the queue has no state yet; see whether volcano-controllers runs", nil
		}
		if isClosed(state) == (action == closeQueue) {
			return true, "", nil
		}
		if time.Since(given) > reissue {
			// One that is still waiting under this name serves as well.
			if err := cluster.Create(ctx, order); err != nil && !apierrors.IsAlreadyExists(err) {
				return false, "", err
			}
			given = time.Now()
		}
		return false, fmt.Sprintf("the state is still %q; see whether volcano-controllers runs", state), nil
	})
}

func commandFor(queue *objects.Object, action string) *objects.Object {
	target := map[string]any{
		"apiVersion": queue.GetAPIVersion(), "kind": queue.GetKind(), "name": queue.GetName(), "uid": string(queue.GetUID()),
		"controller": true, "blockOwnerDeletion": true,
	}
	return &objects.Object{Object: map[string]any{
		"apiVersion": "bus.volcano.sh/v1alpha1", "kind": "Command",
		"metadata": map[string]any{
			"name": fmt.Sprintf("trainyard-%s-%s", strings.ToLower(action), queue.GetUID()), "namespace": commandNamespace,
			"ownerReferences": []any{target},
		},
		"target": target, "action": action,
	}}
}

// vacate closes the queue and waits until its jobs have ended.
func vacate(ctx context.Context, cluster *kube.Cluster, m *Model) error {
	name := m.Name.ValueString()
	var below []string
	err := cluster.List(ctx, kube.Queue, kube.Query{}, func(queue *objects.Object) {
		if objects.QueueParent(queue) == name {
			below = append(below, queue.GetName())
		}
	})
	if err != nil {
		return err
	}
	if len(below) > 0 {
		slices.Sort(below)
		return fmt.Errorf("the queues %s have it as their parent. Delete them first, or give them another parent", strings.Join(below, ", "))
	}
	live, err := cluster.Get(ctx, kube.Queue, "", name)
	if err != nil || live == nil || live.GetDeletionTimestamp() != nil {
		return err
	}
	if state := objects.QueueState(live); state == objects.QueueOpen || state == objects.QueueUnknown {
		if err := command(ctx, cluster, live, closeQueue); err != nil {
			return err
		}
	}
	return awaitEmpty(ctx, cluster, live)
}

// awaitEmpty waits until no pod group in the queue is still to be worked on; at the time
// limit the error names them.
func awaitEmpty(ctx context.Context, cluster *kube.Cluster, queue *objects.Object) error {
	return kube.Await(ctx, "the jobs of "+objects.Ref(queue)+" to end", func(ctx context.Context) (bool, string, error) {
		var jobs []string
		err := cluster.List(ctx, kube.PodGroup, kube.Query{}, func(group *objects.Object) {
			if objects.PodGroupUnfinished(group, queue.GetName()) {
				jobs = append(jobs, objects.PodGroupJob(group))
			}
		})
		return err == nil && len(jobs) == 0, firstOf(jobs), err
	})
}

// mostNamed is how many jobs an error names.
const mostNamed = 10

func firstOf(jobs []string) string {
	slices.Sort(jobs)
	if len(jobs) <= mostNamed {
		return strings.Join(jobs, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(jobs[:mostNamed], ", "), len(jobs)-mostNamed)
}
