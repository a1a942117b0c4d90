// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// vacate refuses to delete a team whose work or data would go with it, unless the
// arguments say so. It looks at the cluster itself, past every cache.
func vacate(ctx context.Context, cluster *kube.Cluster, m *Model) error {
	namespace := m.Name.ValueString()
	if !m.DeleteRunningPods.ValueBool() {
		pods, err := names(ctx, cluster, kube.Pod, kube.Query{Namespace: namespace, Fields: objects.UnfinishedPods}, anyOne)
		if err != nil {
			return err
		}
		if err := refusal("pods that have not finished", pods, "delete_running_pods"); err != nil {
			return err
		}
	}
	if m.DeleteBoundVolumes.ValueBool() {
		return nil
	}
	claims, err := names(ctx, cluster, kube.PersistentVolumeClaim, kube.Query{Namespace: namespace}, objects.ClaimBound)
	if err != nil {
		return err
	}
	return refusal("claims bound to volumes", claims, "delete_bound_volumes")
}

func anyOne(*objects.Object) bool { return true }

// names lists the objects that matter, sorted. Those on their way out do not.
func names(ctx context.Context, cluster *kube.Cluster, kind kube.Kind, query kube.Query, matters func(*objects.Object) bool) ([]string, error) {
	var list []string
	err := cluster.List(ctx, kind, query, func(object *objects.Object) {
		if object.GetDeletionTimestamp() == nil && matters(object) {
			list = append(list, object.GetName())
		}
	})
	slices.Sort(list)
	return list, err
}

// mostNamed is how many objects an error names.
const mostNamed = 10

func refusal(what string, list []string, argument string) error {
	if len(list) == 0 {
		return nil
	}
	named := strings.Join(list[:min(len(list), mostNamed)], ", ")
	if more := len(list) - mostNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("the namespace holds %s: %s\n\n"+
		"Delete them, or set %s = true, apply, and delete the team then; they go with it", what, named, argument)
}
