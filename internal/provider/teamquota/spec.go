// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// specOf reads a known model. Defaults are filled in here as well, because a configuration
// is checked before Terraform has planned them.
func specOf(m *Model) spec.Team {
	return spec.Team{
		Name:        m.Name.ValueString(),
		Labels:      m.Labels,
		Annotations: m.Annotations,
		CostCenter:  m.CostCenter.ValueString(),
		Queue:       m.Queue.ValueString(),
		PodSecurity: m.PodSecurity.spec(),
		Quota:       m.Quota.spec(),
		Limits:      m.Limits.spec(),
		Members:     m.Members.spec(),
		Network:     m.Network.spec(),
		Registry:    m.Registry.spec(),

		DeleteRunningPods:  m.DeleteRunningPods.ValueBool(),
		DeleteBoundVolumes: m.DeleteBoundVolumes.ValueBool(),
	}
}

func (m *podSecurityModel) spec() spec.PodSecurity {
	if m == nil {
		m = &podSecurityModel{}
	}
	return spec.PodSecurity{
		Enforce: text(m.Enforce, defaultEnforce), Audit: text(m.Audit, defaultAudit),
		Warn: text(m.Warn, defaultAudit), Version: text(m.Version, spec.VersionLatest),
	}
}

func (m *quotaModel) spec() (q spec.Quota) {
	if m == nil {
		return q
	}
	q = spec.Quota{Requests: m.Requests, Limits: m.Limits, Objects: m.Objects}
	if s := m.Storage; s != nil {
		q.Storage.Total, q.Storage.Claims = s.Total.ValueString(), s.Claims
		q.Storage.Classes = mapped(s.Classes, func(a amountModel) spec.StorageAmount {
			return spec.StorageAmount{Total: a.Total.ValueString(), Claims: a.Claims}
		})
	}
	return q
}

func (m *limitsModel) spec() (l spec.Limits) {
	if m == nil {
		return l
	}
	if c := m.Container; c != nil {
		l.Container = spec.ContainerLimits{Default: c.Default, DefaultRequest: c.DefaultRequest, Min: c.Min, Max: c.Max, MaxRatio: c.MaxRatio}
	}
	if p := m.Pod; p != nil {
		l.Pod = spec.PodLimits{Min: p.Min, Max: p.Max, MaxRatio: p.MaxRatio}
	}
	if c := m.Claim; c != nil {
		l.Claim = spec.ClaimLimits{Min: c.Min.ValueString(), Max: c.Max.ValueString()}
	}
	return l
}

func (m *membersModel) spec() spec.Members {
	if m == nil {
		return nil
	}
	members := spec.Members{}
	for role, subjects := range m.byRole() {
		if *subjects != nil {
			members[role] = spec.Subjects(**subjects)
		}
	}
	return members
}

func (m *networkModel) spec() spec.Network {
	if m == nil {
		m = &networkModel{}
	}
	blocks := func(models map[string]blockModel) map[string]spec.Block {
		return mapped(models, func(b blockModel) spec.Block { return spec.Block(b) })
	}
	return spec.Network{
		DefaultDeny: isOn(m.DefaultDeny), DNS: isOn(m.DNS), SameNamespace: isOn(m.SameNamespace),
		IngressNamespaces: m.IngressNamespaces, EgressNamespaces: m.EgressNamespaces,
		IngressCIDRs: blocks(m.IngressCIDRs), EgressCIDRs: blocks(m.EgressCIDRs),
	}
}

func (m *registryModel) spec() *spec.Registry {
	if m == nil {
		return nil
	}
	return &spec.Registry{
		Server: m.Server.ValueString(), Username: m.Username.ValueString(), Email: m.Email.ValueString(),
		Password: m.Password.ValueStringPointer(), PasswordVersion: m.PasswordVersion.ValueString(),
	}
}

// text is a value with a default.
func text(value types.String, otherwise string) string {
	if value.IsNull() {
		return otherwise
	}
	return value.ValueString()
}

// isOn reads a value that is true by default.
func isOn(value types.Bool) bool {
	return value.IsNull() || value.ValueBool()
}

// mapped converts the values of a map; nil stays nil.
func mapped[A, B any](from map[string]A, convert func(A) B) map[string]B {
	if from == nil {
		return nil
	}
	to := make(map[string]B, len(from))
	for key, value := range from {
		to[key] = convert(value)
	}
	return to
}
