// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// fold writes what stands into the model, part by part: a part that means the same keeps
// the user's own words.
func fold(_ context.Context, m *Model, have []*objects.Object) diag.Diagnostics {
	imported := m.Drift.IsNull()
	before, team := specOf(m), objects.TeamFrom(have)
	if !imported {
		team = team.Restated(before)
	}
	differs := func(was, is any) bool { return imported || !reflect.DeepEqual(was, is) }

	m.Name = types.StringValue(team.Name)
	m.CostCenter, m.Queue = orNull(team.CostCenter), orNull(team.Queue)
	m.Labels, m.Annotations = team.Labels, team.Annotations
	m.DeleteRunningPods = types.BoolValue(team.DeleteRunningPods)
	m.DeleteBoundVolumes = types.BoolValue(team.DeleteBoundVolumes)
	if differs(before.PodSecurity, team.PodSecurity) {
		m.PodSecurity = podSecurityFrom(team.PodSecurity)
	}
	if differs(before.Quota, team.Quota) {
		m.Quota = quotaFrom(team.Quota)
	}
	if differs(before.Limits, team.Limits) {
		m.Limits = limitsFrom(team.Limits)
	}
	if differs(before.Members, team.Members) {
		m.Members = membersFrom(team.Members)
	}
	if differs(before.Network, team.Network) {
		m.Network = networkFrom(team.Network)
	}
	if differs(before.Registry, team.Registry) {
		m.Registry = registryFrom(team.Registry)
	}
	return nil
}

func podSecurityFrom(p spec.PodSecurity) *podSecurityModel {
	return &podSecurityModel{
		Enforce: types.StringValue(p.Enforce), Audit: types.StringValue(p.Audit),
		Warn: types.StringValue(p.Warn), Version: types.StringValue(p.Version),
	}
}

func quotaFrom(q spec.Quota) *quotaModel {
	if q.Empty() {
		return nil
	}
	m := &quotaModel{Requests: q.Requests, Limits: q.Limits, Objects: q.Objects}
	if s := q.Storage; s.Total != "" || s.Claims != nil || len(s.Classes) > 0 {
		m.Storage = &storageModel{
			Total: orNull(s.Total), Claims: s.Claims,
			Classes: mapped(s.Classes, func(a spec.StorageAmount) amountModel {
				return amountModel{Total: orNull(a.Total), Claims: a.Claims}
			}),
		}
	}
	return m
}

func limitsFrom(l spec.Limits) *limitsModel {
	var m limitsModel
	if c := l.Container; !c.Empty() {
		m.Container = &containerModel{Default: c.Default, DefaultRequest: c.DefaultRequest, Min: c.Min, Max: c.Max, MaxRatio: c.MaxRatio}
	}
	if p := l.Pod; !p.Empty() {
		m.Pod = &podModel{Min: p.Min, Max: p.Max, MaxRatio: p.MaxRatio}
	}
	if c := l.Claim; !c.Empty() {
		m.Claim = &claimModel{Min: orNull(c.Min), Max: orNull(c.Max)}
	}
	if m == (limitsModel{}) {
		return nil
	}
	return &m
}

func membersFrom(members spec.Members) *membersModel {
	if len(members) == 0 {
		return nil
	}
	m := &membersModel{}
	for role, place := range m.byRole() {
		if subjects, ok := members[role]; ok {
			model := subjectsModel(subjects)
			*place = &model
		}
	}
	return m
}

func networkFrom(n spec.Network) *networkModel {
	blocks := func(specs map[string]spec.Block) map[string]blockModel {
		return mapped(specs, func(b spec.Block) blockModel { return blockModel(b) })
	}
	return &networkModel{
		DefaultDeny: types.BoolValue(n.DefaultDeny), DNS: types.BoolValue(n.DNS), SameNamespace: types.BoolValue(n.SameNamespace),
		IngressNamespaces: n.IngressNamespaces, EgressNamespaces: n.EgressNamespaces,
		IngressCIDRs: blocks(n.IngressCIDRs), EgressCIDRs: blocks(n.EgressCIDRs),
	}
}

func registryFrom(r *spec.Registry) *registryModel {
	if r == nil {
		return nil
	}
	return &registryModel{
		Server: types.StringValue(r.Server), Username: types.StringValue(r.Username), Email: orNull(r.Email),
		PasswordVersion: orNull(r.PasswordVersion),
	}
}

func orNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}
