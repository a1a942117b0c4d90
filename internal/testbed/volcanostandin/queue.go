// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package volcanostandin

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// handle carries out one action on one queue.
func (c *controller) handle(ctx context.Context, r request) error {
	queue, err := c.queues.Get(r.queue)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read queue %q: %w", r.queue, err)
	}
	if queue, err = c.adopt(ctx, queue); err != nil {
		return err
	}
	switch r.action {
	case busv1alpha1.OpenQueueAction:
		err = c.openFamily(ctx, queue)
	case busv1alpha1.CloseQueueAction:
		if queue.Name == rootQueue {
			return nil // the real controller refuses too
		}
		err = c.closeChildren(ctx, queue)
	}
	if err != nil {
		return err
	}
	groups, err := c.podGroups.ByIndex(podGroupsByKey, queue.Name)
	if err != nil {
		return fmt.Errorf("cannot count the pod groups of queue %q: %w", queue.Name, err)
	}
	state := next(queue.Status.State, r.action, len(groups))
	if err := c.setState(ctx, queue, state); err != nil {
		return err
	}
	// A queue that was just opened or closed does not look at its parent: while
	// a whole branch changes, the parent's state comes last.
	if r.action != busv1alpha1.SyncQueueAction {
		return nil
	}
	return c.followParent(ctx, queue, state)
}

// adopt puts a queue without a parent under root.
func (c *controller) adopt(ctx context.Context, queue *schedulingv1beta1.Queue) (*schedulingv1beta1.Queue, error) {
	if queue.Name == rootQueue || queue.Spec.Parent != "" {
		return queue, nil
	}
	return c.patch(ctx, queue.Name, map[string]any{"spec": map[string]any{"parent": rootQueue}})
}

// setState applies the state alone. The real controller counts pod groups in
// its metrics and not in the status, so this one leaves the counts alone too.
func (c *controller) setState(ctx context.Context, queue *schedulingv1beta1.Queue, state schedulingv1beta1.QueueState) error {
	if queue.Status.State == state {
		return nil
	}
	data, err := json.Marshal(map[string]any{
		"apiVersion": schedulingv1beta1.SchemeGroupVersion.String(),
		"kind":       "Queue",
		"metadata":   map[string]any{"name": queue.Name},
		"status":     map[string]any{"state": state},
	})
	if err != nil {
		return fmt.Errorf("cannot encode the state of queue %q: %w", queue.Name, err)
	}
	options := metav1.PatchOptions{FieldManager: "queue-controller"}
	_, err = c.client.SchedulingV1beta1().Queues().Patch(ctx, queue.Name, types.ApplyPatchType, data, options, "status")
	if err != nil {
		return fmt.Errorf("cannot set queue %q to %s: %w", queue.Name, state, err)
	}
	return nil
}

// openFamily refuses to open a queue under a shut parent, and opens the
// children that had been closed along with the queue.
func (c *controller) openFamily(ctx context.Context, queue *schedulingv1beta1.Queue) error {
	if !isShut(queue.Status.State) {
		return nil
	}
	if parent := queue.Spec.Parent; parent != "" && parent != rootQueue {
		above, err := c.queues.Get(parent)
		if err != nil {
			return fmt.Errorf("cannot read parent %q of queue %q: %w", parent, queue.Name, err)
		}
		if isShut(above.Status.State) {
			return fmt.Errorf("cannot open queue %q: its parent %q is %s", queue.Name, parent, above.Status.State)
		}
	}
	for _, child := range c.children(queue.Name) {
		if child.Annotations[closedByParent] == "true" {
			c.work.Add(request{child.Name, busv1alpha1.OpenQueueAction})
		}
	}
	return c.markClosedByParent(ctx, queue, "false")
}

// closeChildren closes the queues below one that is about to close.
func (c *controller) closeChildren(ctx context.Context, queue *schedulingv1beta1.Queue) error {
	if isShut(queue.Status.State) {
		return nil
	}
	for _, child := range c.children(queue.Name) {
		if isShut(child.Status.State) {
			continue
		}
		if err := c.markClosedByParent(ctx, child, "true"); err != nil {
			return err
		}
		c.work.Add(request{child.Name, busv1alpha1.CloseQueueAction})
	}
	return nil
}

// followParent closes a queue whose parent is shut, and opens one again that
// had been closed along with a parent that is now open.
func (c *controller) followParent(ctx context.Context, queue *schedulingv1beta1.Queue, state schedulingv1beta1.QueueState) error {
	if queue.Name == rootQueue {
		return nil
	}
	parent, err := c.queues.Get(queue.Spec.Parent)
	if err != nil {
		return fmt.Errorf("cannot read parent %q of queue %q: %w", queue.Spec.Parent, queue.Name, err)
	}
	switch {
	case isShut(parent.Status.State) && !isShut(state):
		if err := c.markClosedByParent(ctx, queue, "true"); err != nil {
			return err
		}
		c.work.Add(request{queue.Name, busv1alpha1.CloseQueueAction})
	case parent.Status.State == open && isShut(state) && queue.Annotations[closedByParent] == "true":
		c.work.Add(request{queue.Name, busv1alpha1.OpenQueueAction})
	}
	return nil
}

func (c *controller) children(parent string) []*schedulingv1beta1.Queue {
	objects, err := c.byParent.ByIndex(childrenByKey, parent)
	if err != nil {
		return nil
	}
	queues := make([]*schedulingv1beta1.Queue, 0, len(objects))
	for _, object := range objects {
		queues = append(queues, as[schedulingv1beta1.Queue](object))
	}
	return queues
}

func (c *controller) markClosedByParent(ctx context.Context, queue *schedulingv1beta1.Queue, value string) error {
	if queue.Annotations[closedByParent] == value {
		return nil
	}
	annotations := map[string]any{closedByParent: value}
	_, err := c.patch(ctx, queue.Name, map[string]any{"metadata": map[string]any{"annotations": annotations}})
	return err
}

func (c *controller) patch(ctx context.Context, name string, body map[string]any) (*schedulingv1beta1.Queue, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the patch of queue %q: %w", name, err)
	}
	options := metav1.PatchOptions{FieldManager: "vc-controller-manager"}
	queue, err := c.client.SchedulingV1beta1().Queues().Patch(ctx, name, types.MergePatchType, data, options)
	if err != nil {
		return nil, fmt.Errorf("cannot update queue %q: %w", name, err)
	}
	return queue, nil
}
