// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// concurrency is how many requests for nodes run at once.
const concurrency = 16

// Reconcile makes the simulated nodes of the cluster be the wanted ones: it
// creates what is missing, restores labels and capacity, and removes the rest.
// Labels and taints that others put on a node stay.
func Reconcile(ctx context.Context, client typedcorev1.NodeInterface, wanted []corev1.Node) error {
	existing, err := list(ctx, client, "")
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for _, node := range wanted {
		if current, ok := existing[node.Name]; ok {
			group.Go(func() error { return restore(ctx, client, current, node) })
			delete(existing, node.Name)
			continue
		}
		group.Go(func() error {
			if _, err := client.Create(ctx, &node, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("cannot create node %q: %w", node.Name, err)
			}
			return nil
		})
	}
	for name := range existing {
		group.Go(func() error {
			err := client.Delete(ctx, name, metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("cannot delete node %q: %w", name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// restore puts back what the testbed sets on a node and someone changed.
func restore(ctx context.Context, client typedcorev1.NodeInterface, current, wanted corev1.Node) error {
	if !contains(current.Labels, wanted.Labels) || !contains(current.Annotations, wanted.Annotations) {
		metadata := map[string]any{"labels": wanted.Labels, "annotations": wanted.Annotations}
		if err := patch(ctx, client, wanted.Name, map[string]any{"metadata": metadata}); err != nil {
			return err
		}
	}
	if !holds(current.Status.Capacity, wanted.Status.Capacity) || !holds(current.Status.Allocatable, wanted.Status.Allocatable) {
		status := map[string]any{"capacity": wanted.Status.Capacity, "allocatable": wanted.Status.Allocatable}
		return patch(ctx, client, wanted.Name, map[string]any{"status": status}, "status")
	}
	return nil
}

func patch(ctx context.Context, client typedcorev1.NodeInterface, name string, body map[string]any, subresource ...string) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("cannot encode the patch of node %q: %w", name, err)
	}
	if _, err := client.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}, subresource...); err != nil {
		return fmt.Errorf("cannot patch node %q: %w", name, err)
	}
	return nil
}

// WaitReady waits until the wanted number of simulated nodes is there and every
// one is Ready.
func WaitReady(ctx context.Context, client typedcorev1.NodeInterface, wanted int) error {
	for {
		nodes, err := list(ctx, client, fromCache)
		if err != nil {
			return err
		}
		notReady := slices.DeleteFunc(slices.Sorted(maps.Keys(nodes)), func(name string) bool {
			return ready(nodes[name])
		})
		if len(notReady) == 0 && len(nodes) == wanted {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("of %d nodes %d are there and %d of these are not Ready: %w", wanted, len(nodes), len(notReady), ctx.Err())
		// Each look reads all nodes, so it comes the less often the more there are.
		case <-time.After(100*time.Millisecond + time.Duration(len(nodes))*2*time.Millisecond):
		}
	}
}

// fromCache lets the API server answer from its cache, a moment old.
const fromCache = "0"

func list(ctx context.Context, client typedcorev1.NodeInterface, resourceVersion string) (map[string]corev1.Node, error) {
	nodes, err := client.List(ctx, metav1.ListOptions{
		LabelSelector: SimulatedLabel + "=true", ResourceVersion: resourceVersion,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the simulated nodes: %w", err)
	}
	byName := make(map[string]corev1.Node, len(nodes.Items))
	for _, node := range nodes.Items {
		byName[node.Name] = node
	}
	return byName, nil
}

func ready(node corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func contains(have, want map[string]string) bool {
	for key, value := range want {
		if found, ok := have[key]; !ok || found != value {
			return false
		}
	}
	return true
}

func holds(have, want corev1.ResourceList) bool {
	for name, quantity := range want {
		if found, ok := have[name]; !ok || !equality.Semantic.DeepEqual(found, quantity) {
			return false
		}
	}
	return true
}
