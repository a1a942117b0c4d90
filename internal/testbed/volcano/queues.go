// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	typedschedulingv1beta1 "volcano.sh/apis/pkg/client/clientset/versioned/typed/scheduling/v1beta1"
)

// CreateFirstQueues creates the queues "root" and "default" with the values that
// Volcano's scheduler gives them when it first starts.
func CreateFirstQueues(ctx context.Context, client typedschedulingv1beta1.QueueInterface) error {
	for name, reclaimable := range map[string]bool{"root": false, "default": true} {
		queue := &schedulingv1beta1.Queue{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       schedulingv1beta1.QueueSpec{Weight: 1, Reclaimable: &reclaimable},
		}
		if err := create(ctx, client, queue); err != nil {
			return fmt.Errorf("cannot create queue %q: %w", name, err)
		}
	}
	return nil
}

// create retries what a fresh definition answers. It looks first: a queue that is
// there needs no webhook, which may not be up yet.
func create(ctx context.Context, client typedschedulingv1beta1.QueueInterface, queue *schedulingv1beta1.Queue) error {
	for {
		_, err := client.Get(ctx, queue.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = client.Create(ctx, queue, metav1.CreateOptions{})
		}
		if err == nil || apierrors.IsAlreadyExists(err) {
			return nil
		}
		if !apierrors.IsNotFound(err) && !apierrors.IsInternalError(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// WaitQueuesOpen waits until a controller has opened the first queues, which
// shows that it works.
func WaitQueuesOpen(ctx context.Context, client typedschedulingv1beta1.QueueInterface) error {
	for _, name := range []string{"root", "default"} {
		for {
			queue, err := client.Get(ctx, name, metav1.GetOptions{})
			if err == nil && queue.Status.State == schedulingv1beta1.QueueStateOpen {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("queue %q did not open: %w", name, errors.Join(err, ctx.Err()))
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}
