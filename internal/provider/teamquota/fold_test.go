// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package teamquota

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

var owner = objects.Owner{Owner: "default", Resource: "team-quota", Name: "team-vision"}

// common holds the envelope's arguments as they are after an apply.
func common(tb testing.TB) entity.Common {
	tb.Helper()
	return entity.Common{
		Name:     types.StringValue("team-vision"),
		Cluster:  types.ObjectNull(attributeTypes(tb, connect.ResourceAttribute())),
		Timeouts: timeouts.Value{Object: types.ObjectNull(attributeTypes(tb, fullSchema(tb).Attributes["timeouts"]))},
		Drift:    types.ListValueMust(types.StringType, nil),
	}
}

func attributeTypes(tb testing.TB, attribute schema.Attribute) map[string]attr.Type {
	tb.Helper()
	object, ok := attribute.GetType().(attr.TypeWithAttributeTypes)
	if !ok {
		tb.Fatalf("%T is no object", attribute)
	}
	return object.AttributeTypes()
}

// everyPart is a team with everything that an object can show.
func everyPart(tb testing.TB) Model {
	tb.Helper()
	claims := int64(200)
	yes, text := types.BoolValue(true), types.StringValue
	return Model{
		Common:      common(tb),
		Labels:      map[string]string{"stage": "research"},
		Annotations: map[string]string{"example.com/contact": "vision@example.com"},
		CostCenter:  text("cc-4711"),
		Queue:       text("research"),
		PodSecurity: &podSecurityModel{Enforce: text("baseline"), Audit: text("restricted"), Warn: text("restricted"), Version: text("latest")},
		Quota: &quotaModel{
			Requests: map[string]string{"cpu": "512", "nvidia.com/gpu": "64"},
			Limits:   map[string]string{"memory": "4096Gi"},
			Objects:  map[string]int64{"pods": 500},
			Storage: &storageModel{
				Total: text("100Ti"), Claims: &claims,
				Classes: map[string]amountModel{"fast-nvme": {Total: text("10Ti")}},
			},
		},
		Limits: &limitsModel{
			Container: &containerModel{Default: map[string]string{"cpu": "2000m"}, Max: map[string]string{"cpu": "96"}},
			Pod:       &podModel{Max: map[string]string{"nvidia.com/gpu": "8"}},
			Claim:     &claimModel{Max: text("10Ti")},
		},
		Members: &membersModel{
			Admins:    &subjectsModel{Users: []string{"ada@example.com"}},
			Engineers: &subjectsModel{Groups: []string{"vision"}, ServiceAccounts: []string{"team-vision/runner"}},
		},
		Network: &networkModel{
			DefaultDeny: yes, DNS: yes, SameNamespace: yes,
			IngressNamespaces: []string{"monitoring"},
			EgressCIDRs:       map[string]blockModel{"0.0.0.0/0": {Except: []string{"169.254.169.254/32"}, Ports: []string{"443/TCP"}}},
		},
		Registry: &registryModel{
			Server: text("registry.example.com"), Username: text("robot"), PasswordVersion: text("7"),
		},
		DeleteRunningPods:  yes,
		DeleteBoundVolumes: types.BoolValue(false),
	}
}

func TestFoldKeepsTheUsersWords(t *testing.T) {
	m := everyPart(t)
	fold(t.Context(), &m, objects.Team(specOf(&m), owner))
	if diff := cmp.Diff(everyPart(t), m); diff != "" {
		t.Errorf("folded model (-want +got):\n%s", diff)
	}
}

func TestFoldChangesOnlyWhatSomebodyChanged(t *testing.T) {
	m := everyPart(t)
	have := objects.Team(specOf(&m), owner)
	for _, object := range have {
		switch object.GetKind() {
		case "ResourceQuota":
			for resource, amount := range map[string]string{"requests.nvidia.com/gpu": "128", "limits.memory": "4Ti"} {
				if err := unstructured.SetNestedField(object.Object, amount, "spec", "hard", resource); err != nil {
					t.Fatal(err)
				}
			}
		case "NetworkPolicy", "Secret":
			object.SetName("renamed")
		}
	}
	fold(t.Context(), &m, have)

	want := everyPart(t)
	want.Quota.Requests["nvidia.com/gpu"] = "128"
	want.Network = &networkModel{DefaultDeny: types.BoolValue(false), DNS: types.BoolValue(true), SameNamespace: types.BoolValue(true)}
	want.Registry = nil
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("folded model (-want +got):\n%s", diff)
	}
}

func TestEmptyPartsStayEmptyParts(t *testing.T) {
	m := Model{
		Common: common(t), Labels: map[string]string{},
		Quota: &quotaModel{}, Limits: &limitsModel{}, Members: &membersModel{Viewers: &subjectsModel{Users: []string{}}},
		Network: &networkModel{IngressCIDRs: map[string]blockModel{}}, PodSecurity: &podSecurityModel{},
		DeleteRunningPods: types.BoolValue(false), DeleteBoundVolumes: types.BoolValue(false),
	}
	want := m
	fold(t.Context(), &m, objects.Team(specOf(&m), owner))
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("folded model (-want +got):\n%s", diff)
	}
}

func TestImportReadsEveryPart(t *testing.T) {
	applied := everyPart(t)
	have := objects.Team(specOf(&applied), owner)

	var imported Model
	imported.Common = common(t)
	imported.Drift = types.ListNull(types.StringType)
	fold(t.Context(), &imported, have)

	want := everyPart(t)
	want.Drift = imported.Drift
	// Words that an object does not keep come back in their shortest form.
	want.Members.Engineers.ServiceAccounts = []string{"runner"}
	want.Network.EgressCIDRs["0.0.0.0/0"] = blockModel{Except: []string{"169.254.169.254/32"}, Ports: []string{"443"}}
	want.DeleteRunningPods = types.BoolValue(false)
	if diff := cmp.Diff(want, imported); diff != "" {
		t.Errorf("imported model (-want +got):\n%s", diff)
	}
}

func TestImportOfABareNamespaceHasNoParts(t *testing.T) {
	var imported Model
	imported.Common = common(t)
	imported.Drift = types.ListNull(types.StringType)
	namespace := &objects.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": "team-vision", "labels": map[string]any{"kubernetes.io/metadata.name": "team-vision"}},
	}}
	fold(t.Context(), &imported, []*objects.Object{namespace})

	want := Model{
		Common: imported.Common, PodSecurity: &podSecurityModel{
			Enforce: types.StringValue(""), Audit: types.StringValue(""), Warn: types.StringValue(""), Version: types.StringValue(""),
		},
		Network:           &networkModel{DefaultDeny: types.BoolValue(false), DNS: types.BoolValue(true), SameNamespace: types.BoolValue(true)},
		DeleteRunningPods: types.BoolValue(false), DeleteBoundVolumes: types.BoolValue(false),
	}
	if diff := cmp.Diff(want, imported); diff != "" {
		t.Errorf("imported model (-want +got):\n%s", diff)
	}
}

func objectDefault(t *testing.T, name string) types.Object {
	t.Helper()
	attribute, ok := fullSchema(t).Attributes[name].(schema.SingleNestedAttribute)
	if !ok {
		t.Fatalf("%s is no object", name)
	}
	var resp defaults.ObjectResponse
	attribute.Default.DefaultObject(t.Context(), defaults.ObjectRequest{}, &resp)
	return resp.PlanValue
}

func BenchmarkStateRoundTrip(b *testing.B) {
	state, model := emptyState(b), everyPart(b)
	for b.Loop() {
		if diags := state.Set(b.Context(), &model); diags.HasError() {
			b.Fatal(diags)
		}
		if diags := state.Get(b.Context(), &model); diags.HasError() {
			b.Fatal(diags)
		}
	}
}
