// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package teamquota is the resource trainyard_team_quota.
package teamquota

import (
	"context"
	"fmt"

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

// against refuses a queue that is neither in the cluster nor planned before this team.
func against(ctx context.Context, cluster *kube.Cluster, m *Model) (violations spec.Violations, err error) {
	queue := m.Queue.ValueString()
	if queue == "" || cluster.Expected(kube.Queue, queue) {
		return nil, nil
	}
	found, err := cluster.Lookup(ctx, kube.Queue, "", queue)
	if err != nil || found != nil {
		return nil, err
	}
	violations.Add(spec.Path{"queue"},
		fmt.Sprintf("Name a queue that exists. If the same configuration makes it, refer to it (trainyard_training_queue.NAME.name) instead of writing %q, so that it comes first", queue),
		"there is no queue %q", queue)
	return violations, nil
}
