// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package queuestatus is the data source trainyard_queue_status.
package queuestatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// New returns the data source.
func New() datasource.DataSource {
	return entity.NewSource[Model](entity.Source[Model]{
		Type: "queue_status", Noun: "the status of queues", Schema: schemaOf, Read: read,
	})
}

func read(ctx context.Context, cluster *kube.Cluster, m *Model) (spec.Violations, diag.Diagnostics, error) {
	var names []string
	if diags := m.Names.ElementsAs(ctx, &names, false); diags.HasError() {
		return nil, diags, nil
	}
	standing, err := queues(ctx, cluster, names)
	if err != nil {
		return nil, nil, err
	}
	if err := countJobs(ctx, cluster, standing); err != nil {
		return nil, nil, err
	}
	if m.Names.IsNull() {
		m.fill(standing)
		return nil, nil, nil
	}
	chosen, violations := choose(standing, names)
	m.fill(chosen)
	return violations, nil, nil
}

// queues lists every queue in one request. Where only some may be read, those that are named
// are read one by one.
func queues(ctx context.Context, cluster *kube.Cluster, names []string) (map[string]objects.QueueStatus, error) {
	standing := map[string]objects.QueueStatus{}
	err := cluster.List(ctx, kube.Queue, kube.Query{}, func(queue *objects.Object) {
		standing[queue.GetName()] = objects.QueueStatusFrom(queue)
	})
	if len(names) == 0 || !kube.IsForbidden(err) {
		return standing, err
	}
	for _, name := range names {
		queue, err := cluster.Get(ctx, kube.Queue, "", name)
		if err != nil {
			return nil, err
		}
		if queue != nil {
			standing[name] = objects.QueueStatusFrom(queue)
		}
	}
	return standing, nil
}

// countJobs counts the pod groups of each queue. Volcano's controller wrote these counts into
// the queue's status once and only exports them as metrics now; where pod groups may not be
// listed, what the status says has to do.
func countJobs(ctx context.Context, cluster *kube.Cluster, standing map[string]objects.QueueStatus) error {
	type job struct{ queue, phase string }
	jobs, err := kube.Read(ctx, cluster, kube.PodGroup, kube.Query{}, func(group *volcano.PodGroup) (job, bool) {
		return job{group.Spec.Queue, string(group.Status.Phase)}, true
	})
	if kube.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return err
	}
	counts := map[string]*objects.JobCounts{}
	for name := range standing {
		counts[name] = &objects.JobCounts{}
	}
	for _, job := range jobs {
		if count, ok := counts[job.queue]; ok {
			count.Add(job.phase)
		}
	}
	for name, queue := range standing {
		queue.Jobs = *counts[name]
		standing[name] = queue
	}
	return nil
}

// mostNamed is how many queues an error names.
const mostNamed = 10

// choose picks the queues of these names; each that does not stand is a violation.
func choose(standing map[string]objects.QueueStatus, names []string) (chosen map[string]objects.QueueStatus, violations spec.Violations) {
	chosen = make(map[string]objects.QueueStatus, len(names))
	for i, name := range names {
		queue, ok := standing[name]
		if !ok {
			violations.Add(spec.Path{"names", i}, remedy(standing), "there is no queue %q", name)
			continue
		}
		chosen[name] = queue
	}
	return chosen, violations
}

func remedy(standing map[string]objects.QueueStatus) string {
	known := make([]string, 0, len(standing))
	for name := range standing {
		known = append(known, name)
	}
	slices.Sort(known)
	text := strings.Join(known[:min(len(known), mostNamed)], ", ")
	if len(known) > mostNamed {
		text += fmt.Sprintf(" and %d more", len(known)-mostNamed)
	}
	if text == "" {
		text = "none"
	}
	return "Name queues that exist (" + text + "). If the same configuration makes it, name that resource in depends_on, so that the queue is made first"
}
