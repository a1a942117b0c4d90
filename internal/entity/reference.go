// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"fmt"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// QueueExists refuses the name of a queue that is neither in the cluster nor planned before
// the resource that names it. An empty name is no name.
func QueueExists(ctx context.Context, cluster *kube.Cluster, at spec.Path, name string) (violations spec.Violations, err error) {
	if name == "" || cluster.Expected(kube.Queue, name) {
		return nil, nil
	}
	found, err := cluster.Lookup(ctx, kube.Queue, "", name)
	if err != nil || found != nil {
		return nil, err
	}
	violations.Add(at, fmt.Sprintf("Name a queue that exists. If the same configuration makes it, refer to it "+
		"(trainyard_training_queue.NAME.name) instead of writing %q, so that it comes first", name), "there is no queue %q", name)
	return violations, nil
}
