// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestClusterArgument(t *testing.T) {
	text := func(value string) attr.Value { return types.StringValue(value) }
	for _, test := range []struct {
		name  string
		given map[string]attr.Value
		wrong []string
	}{
		{"a kubeconfig", map[string]attr.Value{"kubeconfig_path": text("a"), "context": text("b")}, nil},
		{"a host with a program", map[string]attr.Value{"host": text("https://a:6443"), "ca": text("PEM"), "exec": execWith(nil)}, nil},
		{"a host that is only known after apply", map[string]attr.Value{"host": types.StringUnknown()}, nil},
		{"a loopback host without TLS", map[string]attr.Value{"host": text("http://127.0.0.1:8080")}, nil},
		{"nothing", nil, []string{"cluster"}},
		{"a context alone", map[string]attr.Value{"context": text("b")}, []string{"cluster"}},
		{"both forms", map[string]attr.Value{"kubeconfig_path": text("a"), "host": text("https://a")}, []string{"cluster.host"}},
		{"a program beside a kubeconfig", map[string]attr.Value{"kubeconfig_path": text("a"), "exec": execWith(nil)}, []string{"cluster.exec"}},
		{"an authority beside a kubeconfig", map[string]attr.Value{"kubeconfig_path": text("a"), "ca": text("PEM")}, []string{"cluster.ca"}},
		{"a context beside a host", map[string]attr.Value{"host": text("https://a"), "context": text("b")}, []string{"cluster.context"}},
		{"a host that is no URL", map[string]attr.Value{"host": text("10.0.0.1:6443")}, []string{"cluster.host"}},
		{"a host without TLS", map[string]attr.Value{"host": text("http://10.0.0.1:6443")}, []string{"cluster.host"}},
		{"a host with a password", map[string]attr.Value{"host": text("https://me:secret@10.0.0.1")}, []string{"cluster.host"}},
		{"an empty host", map[string]attr.Value{"host": text("")}, []string{"cluster.host"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var resp validator.ObjectResponse
			formValidator{}.ValidateObject(t.Context(), validator.ObjectRequest{Path: path.Root("cluster"), ConfigValue: at(test.given)}, &resp)
			var wrong []string
			for _, d := range resp.Diagnostics {
				if located, ok := d.(diag.DiagnosticWithPath); ok {
					wrong = append(wrong, located.Path().String())
				} else {
					wrong = append(wrong, d.Summary())
				}
			}
			if diff := cmp.Diff(test.wrong, wrong); diff != "" {
				t.Errorf("refused (-want +got):\n%s\n%v", diff, resp.Diagnostics)
			}
		})
	}
}

func TestAClusterThatIsNotGivenIsLeftAlone(t *testing.T) {
	for _, cluster := range []types.Object{types.ObjectNull(AttrTypes()), types.ObjectUnknown(AttrTypes())} {
		var resp validator.ObjectResponse
		formValidator{}.ValidateObject(t.Context(), validator.ObjectRequest{Path: path.Root("cluster"), ConfigValue: cluster}, &resp)
		if resp.Diagnostics.HasError() {
			t.Errorf("%s: %v", cluster, resp.Diagnostics)
		}
	}
}

// The argument stands in three schemas; each must have the attributes that Decode reads.
func TestTheSchemasAgree(t *testing.T) {
	want := types.ObjectType{AttrTypes: AttrTypes()}
	for name, got := range map[string]attr.Type{
		"resource": ResourceAttribute().GetType(), "provider": ProviderAttribute().GetType(), "data source": DataSourceAttribute().GetType(),
	} {
		if !want.Equal(got) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
