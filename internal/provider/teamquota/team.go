// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package teamquota is the resource trainyard_team_quota.
package teamquota

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// New returns the resource.
func New() resource.Resource {
	return entity.New[Model](entity.Kind[Model]{
		Type: "team_quota", Noun: "team",
		Objects: []kube.Kind{
			kube.Namespace, kube.ResourceQuota, kube.LimitRange, kube.NetworkPolicy,
			kube.Role, kube.RoleBinding, kube.Secret, kube.ServiceAccount,
		},
		Schema:  schemaOf,
		Check:   check,
		Want:    want,
		Fold:    fold,
		Secrets: secrets,
		Against: against,
		Vacate:  vacate,
	})
}

func check(_ context.Context, m *Model) (spec.Violations, diag.Diagnostics) {
	return specOf(m).Validate(), nil
}

func want(_ context.Context, m *Model, owner objects.Owner) ([]*objects.Object, diag.Diagnostics) {
	return objects.Team(specOf(m), owner), nil
}

// secrets takes the registry's password from the configuration: it is in no plan and no state.
func secrets(ctx context.Context, config tfsdk.Config, m *Model) diag.Diagnostics {
	if m.Registry == nil {
		return nil
	}
	return config.GetAttribute(ctx, path.Root("registry").AtName("password"), &m.Registry.Password)
}

// against refuses a queue that is neither in the cluster nor planned before this team, and
// doubts a quota that the cluster cannot give or that a waiting gang does not fit.
func against(ctx context.Context, cluster *kube.Cluster, m *Model) (advice entity.Advice, err error) {
	team, at := specOf(m), spec.Path{"quota", "requests"}
	if advice.Refused, err = entity.QueueExists(ctx, cluster, spec.Path{"queue"}, team.Queue); err != nil {
		return advice, err
	}
	has, err := cluster.Allocatable(ctx)
	if err != nil {
		return advice, err
	}
	if has != nil {
		advice.Doubtful = spec.BeyondCluster(at, team.Quota.Requests, has)
	}
	gangs, err := waitingGangs(ctx, cluster, team)
	for _, gang := range gangs {
		advice.Doubtful = append(advice.Doubtful, spec.GangRoom(at, team.Quota.Requests, objects.PodGroupJob(gang), objects.PodGroupNeeds(gang))...)
	}
	return advice, err
}

// waitingGangs are the pod groups of a team that exists already and is bound to a queue.
// Without Volcano, or without the right to list them, there are none to speak of.
func waitingGangs(ctx context.Context, cluster *kube.Cluster, team spec.Team) (gangs []*objects.Object, err error) {
	if team.Queue == "" {
		return nil, nil
	}
	namespace, err := cluster.Lookup(ctx, kube.Namespace, "", team.Name)
	if err != nil || namespace == nil {
		return nil, err
	}
	err = cluster.List(ctx, kube.PodGroup, kube.Query{Namespace: team.Name}, func(group *objects.Object) {
		if objects.PodGroupWaits(group) {
			gangs = append(gangs, group)
		}
	})
	if kube.IsForbidden(err) || kube.IsNotServed(err) {
		return nil, nil
	}
	return gangs, err
}
