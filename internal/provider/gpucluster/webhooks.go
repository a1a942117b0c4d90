// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpucluster

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// queuesAnswer asks for a queue without making one: the scheduler's webhooks stand before every
// queue and job, and until they answer nothing that follows could be made.
func queuesAnswer(ctx context.Context, cluster *kube.Cluster) (unready string, err error) {
	probe := &objects.Object{Object: map[string]any{"spec": map[string]any{"weight": int64(1)}}}
	probe.SetGroupVersionKind(kube.Queue.GroupVersionKind)
	probe.SetName("trainyard-probe")
	would, _, err := cluster.Rehearse(ctx, kube.Queue, probe)
	switch {
	case err == nil && would == nil, kube.IsNotServed(err):
		return "the API server does not serve queues yet", nil
	case err == nil, apierrors.IsInvalid(err):
		return "", nil
	case strings.Contains(err.Error(), "failed calling webhook"), kube.IsUnreachable(err):
		return err.Error(), nil
	}
	return "", err
}
