// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Model is the resource as Terraform holds it. A nil map, list or pointer is null.
type Model struct {
	entity.Common
	Labels             map[string]string `tfsdk:"labels"`
	Annotations        map[string]string `tfsdk:"annotations"`
	CostCenter         types.String      `tfsdk:"cost_center"`
	Queue              types.String      `tfsdk:"queue"`
	PodSecurity        *podSecurityModel `tfsdk:"pod_security"`
	Quota              *quotaModel       `tfsdk:"quota"`
	Limits             *limitsModel      `tfsdk:"limits"`
	Members            *membersModel     `tfsdk:"members"`
	Network            *networkModel     `tfsdk:"network"`
	Registry           *registryModel    `tfsdk:"registry"`
	DeleteRunningPods  types.Bool        `tfsdk:"delete_running_pods"`
	DeleteBoundVolumes types.Bool        `tfsdk:"delete_bound_volumes"`
}

type podSecurityModel struct {
	Enforce types.String `tfsdk:"enforce"`
	Audit   types.String `tfsdk:"audit"`
	Warn    types.String `tfsdk:"warn"`
	Version types.String `tfsdk:"version"`
}

type quotaModel struct {
	Requests map[string]string `tfsdk:"requests"`
	Limits   map[string]string `tfsdk:"limits"`
	Objects  map[string]int64  `tfsdk:"objects"`
	Storage  *storageModel     `tfsdk:"storage"`
}

type storageModel struct {
	Total   types.String           `tfsdk:"total"`
	Claims  *int64                 `tfsdk:"claims"`
	Classes map[string]amountModel `tfsdk:"classes"`
}

type amountModel struct {
	Total  types.String `tfsdk:"total"`
	Claims *int64       `tfsdk:"claims"`
}

type limitsModel struct {
	Container *containerModel `tfsdk:"container"`
	Pod       *podModel       `tfsdk:"pod"`
	Claim     *claimModel     `tfsdk:"claim"`
}

type containerModel struct {
	Default        map[string]string `tfsdk:"default"`
	DefaultRequest map[string]string `tfsdk:"default_request"`
	Min            map[string]string `tfsdk:"min"`
	Max            map[string]string `tfsdk:"max"`
	MaxRatio       map[string]string `tfsdk:"max_limit_request_ratio"`
}

type podModel struct {
	Min      map[string]string `tfsdk:"min"`
	Max      map[string]string `tfsdk:"max"`
	MaxRatio map[string]string `tfsdk:"max_limit_request_ratio"`
}

type claimModel struct {
	Min types.String `tfsdk:"min"`
	Max types.String `tfsdk:"max"`
}

type membersModel struct {
	Admins        *subjectsModel `tfsdk:"admins"`
	Engineers     *subjectsModel `tfsdk:"engineers"`
	DataEngineers *subjectsModel `tfsdk:"data_engineers"`
	Viewers       *subjectsModel `tfsdk:"viewers"`
}

type subjectsModel struct {
	Users           []string `tfsdk:"users"`
	Groups          []string `tfsdk:"groups"`
	ServiceAccounts []string `tfsdk:"service_accounts"`
}

type networkModel struct {
	DefaultDeny       types.Bool            `tfsdk:"default_deny"`
	DNS               types.Bool            `tfsdk:"dns"`
	SameNamespace     types.Bool            `tfsdk:"same_namespace"`
	IngressNamespaces []string              `tfsdk:"ingress_namespaces"`
	EgressNamespaces  []string              `tfsdk:"egress_namespaces"`
	IngressCIDRs      map[string]blockModel `tfsdk:"ingress_cidrs"`
	EgressCIDRs       map[string]blockModel `tfsdk:"egress_cidrs"`
}

type blockModel struct {
	Except []string `tfsdk:"except"`
	Ports  []string `tfsdk:"ports"`
}

type registryModel struct {
	Server          types.String `tfsdk:"server"`
	Username        types.String `tfsdk:"username"`
	Password        types.String `tfsdk:"password"`
	PasswordVersion types.String `tfsdk:"password_version"`
	Email           types.String `tfsdk:"email"`
}

// byRole gives the place of each role's subjects.
func (m *membersModel) byRole() map[spec.Role]**subjectsModel {
	return map[spec.Role]**subjectsModel{
		spec.Admins: &m.Admins, spec.Engineers: &m.Engineers, spec.DataEngineers: &m.DataEngineers, spec.Viewers: &m.Viewers,
	}
}
