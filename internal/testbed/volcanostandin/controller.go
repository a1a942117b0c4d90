// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package volcanostandin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"
	"volcano.sh/apis/pkg/client/informers/externalversions"
	listers "volcano.sh/apis/pkg/client/listers/scheduling/v1beta1"
)

const (
	workers        = 8
	podGroupsByKey = "queue"
	childrenByKey  = "parent"
	rootQueue      = "root"
	// closedByParent marks a queue that was closed along with its parent, and
	// therefore opens along with it.
	closedByParent = "volcano.sh/closed-by-parent"
)

// request asks to bring one queue on.
type request struct {
	queue  string
	action busv1alpha1.Action
}

type controller struct {
	client    versioned.Interface
	factory   externalversions.SharedInformerFactory
	queues    listers.QueueLister
	byParent  cache.Indexer
	podGroups cache.Indexer
	work      workqueue.TypedRateLimitingInterface[request]
	commands  workqueue.TypedRateLimitingInterface[*busv1alpha1.Command]
}

// Run controls queues until the context ends.
func Run(ctx context.Context, config *rest.Config) error {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a Volcano client: %w", err)
	}
	c, err := newController(client)
	if err != nil {
		return err
	}
	return c.run(ctx)
}

func newController(client versioned.Interface) (*controller, error) {
	factory := externalversions.NewSharedInformerFactory(client, 0)
	queues := factory.Scheduling().V1beta1().Queues()
	podGroups := factory.Scheduling().V1beta1().PodGroups()
	c := &controller{
		client: client, factory: factory, queues: queues.Lister(),
		byParent: queues.Informer().GetIndexer(), podGroups: podGroups.Informer().GetIndexer(),
		work:     workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[request]()),
		commands: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[*busv1alpha1.Command]()),
	}
	return c, errors.Join(
		queues.Informer().AddIndexers(cache.Indexers{childrenByKey: func(obj any) ([]string, error) {
			return []string{as[schedulingv1beta1.Queue](obj).Spec.Parent}, nil
		}}),
		podGroups.Informer().AddIndexers(cache.Indexers{podGroupsByKey: func(obj any) ([]string, error) {
			return []string{as[schedulingv1beta1.PodGroup](obj).Spec.Queue}, nil
		}}),
		watch(queues.Informer(), c.queueChanged),
		watch(podGroups.Informer(), c.podGroupChanged),
		watch(factory.Bus().V1alpha1().Commands().Informer(), c.commandChanged),
	)
}

// watch calls changed with the object before and after each change; one of the
// two is nil when it was added or deleted.
func watch[T any](informer cache.SharedIndexInformer, changed func(before, after *T)) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { changed(nil, as[T](obj)) },
		UpdateFunc: func(before, after any) { changed(as[T](before), as[T](after)) },
		DeleteFunc: func(obj any) { changed(as[T](obj), nil) },
	})
	return err
}

// as is the object as its type, taken out of a tombstone if it lies in one.
func as[T any](obj any) *T {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	typed, _ := obj.(*T)
	return typed
}

// queueChanged looks at new queues and at those that moved to another parent.
// Any other change is none of a queue controller's business; reacting to its own
// status writes would race with a parent that is still changing.
func (c *controller) queueChanged(before, after *schedulingv1beta1.Queue) {
	if after != nil && (before == nil || before.Spec.Parent != after.Spec.Parent) {
		c.work.Add(request{after.Name, busv1alpha1.SyncQueueAction})
	}
}

func (c *controller) podGroupChanged(before, after *schedulingv1beta1.PodGroup) {
	for _, group := range []*schedulingv1beta1.PodGroup{before, after} {
		if group != nil {
			c.work.Add(request{group.Spec.Queue, busv1alpha1.SyncQueueAction})
		}
	}
}

func (c *controller) commandChanged(_, command *busv1alpha1.Command) {
	if command == nil || command.TargetObject == nil || command.TargetObject.Kind != "Queue" ||
		command.TargetObject.APIVersion != schedulingv1beta1.SchemeGroupVersion.String() {
		return
	}
	c.commands.Add(command)
}

func (c *controller) run(ctx context.Context) error {
	c.factory.Start(ctx.Done())
	for kind, synced := range c.factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("cannot list %s: %w", kind, ctx.Err())
		}
	}
	slog.Info("the stand-in for Volcano's queue controller runs")
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { drain(c.work, func(r request) error { return c.handle(ctx, r) }) })
		running.Go(func() { drain(c.commands, func(cmd *busv1alpha1.Command) error { return c.obey(ctx, cmd) }) })
	}
	<-ctx.Done()
	c.work.ShutDown()
	c.commands.ShutDown()
	running.Wait()
	return nil
}

// drain handles items until the queue is shut down; what fails comes again.
func drain[T comparable](queue workqueue.TypedRateLimitingInterface[T], handle func(T) error) {
	for {
		item, shutdown := queue.Get()
		if shutdown {
			return
		}
		if err := handle(item); err != nil {
			slog.Warn("retrying", "error", err)
			queue.AddRateLimited(item)
		} else {
			queue.Forget(item)
		}
		queue.Done(item)
	}
}

// obey deletes the command first, as the real controller does: whoever deletes
// it carries it out.
func (c *controller) obey(ctx context.Context, command *busv1alpha1.Command) error {
	err := c.client.BusV1alpha1().Commands(command.Namespace).Delete(ctx, command.Name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot delete command %s/%s: %w", command.Namespace, command.Name, err)
	}
	c.work.Add(request{command.TargetObject.Name, busv1alpha1.Action(command.Action)})
	return nil
}
