// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package component is the resource trainyard_component: a release of a chart.
package component

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

// New makes the resource.
func New() resource.Resource {
	return entity.NewHeavy[Model](entity.Heavy[Model]{
		Type: "component", Noun: "component",
		Schema: schemaOf,
		Identity: map[string]string{
			"namespace": "Namespace of the release.", "name": "Name of the release.",
		},
		Import:  importID,
		Check:   check,
		Secrets: secrets,
		Open:    open,
		Observe: observe,
		Preview: preview,
		Apply:   apply,
		Remove:  remove,
	})
}

// Model is the resource as Terraform holds it.
type Model struct {
	entity.HeavyCommon

	Name             types.String  `tfsdk:"name"`
	Namespace        types.String  `tfsdk:"namespace"`
	CreateNamespace  types.Bool    `tfsdk:"create_namespace"`
	Catalog          types.String  `tfsdk:"catalog"`
	Chart            types.Object  `tfsdk:"chart"`
	Values           types.Dynamic `tfsdk:"values"`
	ValuesYAML       types.List    `tfsdk:"values_yaml"`
	ValuesWO         types.Dynamic `tfsdk:"values_wo"`
	ValuesWORevision types.Int64   `tfsdk:"values_wo_revision"`
	CRDs             types.String  `tfsdk:"crds"`
	Hooks            types.Bool    `tfsdk:"hooks"`
	Wait             types.Bool    `tfsdk:"wait"`
	HistoryLimit     types.Int64   `tfsdk:"history_limit"`
	OnFailure        types.String  `tfsdk:"on_failure"`
	Delete           types.Object  `tfsdk:"delete"`

	Revision     types.Int64  `tfsdk:"revision"`
	ChartVersion types.String `tfsdk:"chart_version"`
	AppVersion   types.String `tfsdk:"app_version"`
	ChartDigest  types.String `tfsdk:"chart_digest"`
	Images       types.List   `tfsdk:"images"`

	// secret holds values_wo while a plan or an apply is at work: they go into no state.
	secret types.Dynamic
}

type deleteModel struct {
	CRDs    types.Bool `tfsdk:"crds"`
	Volumes types.Bool `tfsdk:"volumes"`
}

type identity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// Label names the release for people.
func (m *Model) Label() string {
	return m.Namespace.ValueString() + "/" + m.Name.ValueString()
}

// Identify fills the identity.
func (m *Model) Identify() any { return identity{Namespace: m.Namespace, Name: m.Name} }

func importID(id string) (map[string]string, error) {
	namespace, name, ok := strings.Cut(id, "/")
	if !ok || namespace == "" || name == "" {
		return nil, fmt.Errorf("the id is not NAMESPACE/NAME of a release, such as kube-system/nvidia-device-plugin")
	}
	return map[string]string{"namespace": namespace, "name": name}, nil
}

func secrets(ctx context.Context, config tfsdk.Config, m *Model) diag.Diagnostics {
	return config.GetAttribute(ctx, path.Root("values_wo"), &m.secret)
}

func open(m *Model) {
	m.Revision = types.Int64Unknown()
	m.ChartVersion, m.AppVersion, m.ChartDigest = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.Images = types.ListUnknown(types.StringType)
}
