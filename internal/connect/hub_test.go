// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// at builds a cluster argument; attributes that are not given are null.
func at(given map[string]attr.Value) types.Object {
	values := map[string]attr.Value{
		"kubeconfig_path": types.StringNull(), "context": types.StringNull(), "host": types.StringNull(), "ca": types.StringNull(),
		"exec": types.ObjectNull(execTypes()),
	}
	for name, value := range given {
		values[name] = value
	}
	return types.ObjectValueMust(AttrTypes(), values)
}

func execTypes() map[string]attr.Type {
	return AttrTypes()["exec"].(types.ObjectType).AttrTypes
}

func execWith(given map[string]attr.Value) types.Object {
	values := map[string]attr.Value{
		"api_version": types.StringNull(), "command": types.StringValue("aws"),
		"args": types.ListNull(types.StringType), "env": types.MapNull(types.StringType),
	}
	for name, value := range given {
		values[name] = value
	}
	return types.ObjectValueMust(execTypes(), values)
}

func hostOf(url string) types.Object {
	return at(map[string]attr.Value{"host": types.StringValue(url)})
}

func TestKnown(t *testing.T) {
	for _, test := range []struct {
		name    string
		cluster types.Object
		unknown bool // the provider's own
		want    bool
	}{
		{"the provider's own", types.ObjectNull(AttrTypes()), false, true},
		{"the provider's own, only known after apply", types.ObjectNull(AttrTypes()), true, false},
		{"one of its own", hostOf("https://a"), true, true},
		{"one of its own, only known after apply", types.ObjectUnknown(AttrTypes()), false, false},
		{"its host is only known after apply", at(map[string]attr.Value{"host": types.StringUnknown()}), false, false},
		{"its program is only known after apply", at(map[string]attr.Value{"exec": execWith(map[string]attr.Value{"command": types.StringUnknown()})}), false, false},
		{
			"an argument of its program is only known after apply",
			at(map[string]attr.Value{"exec": execWith(map[string]attr.Value{"args": types.ListValueMust(types.StringType, []attr.Value{types.StringUnknown()})})}),
			false, false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			hub := NewHub("test")
			hub.Unknown = test.unknown
			if got := hub.Known(test.cluster); got != test.want {
				t.Errorf("Known = %t", got)
			}
		})
	}
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		name    string
		cluster types.Object
		want    kube.Connection
	}{
		{
			"a kubeconfig", at(map[string]attr.Value{"kubeconfig_path": types.StringValue("~/.kube/config"), "context": types.StringValue("lab")}),
			kube.Connection{KubeconfigPath: "~/.kube/config", Context: "lab"},
		},
		{
			"a host", at(map[string]attr.Value{"host": types.StringValue("https://a"), "ca": types.StringValue("PEM")}),
			kube.Connection{Host: "https://a", CA: "PEM"},
		},
		{
			"a program, with the default version of its API", at(map[string]attr.Value{"host": types.StringValue("https://a"), "exec": execWith(nil)}),
			kube.Connection{Host: "https://a", Exec: &kube.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "aws"}},
		},
		{
			"a program with all that it takes",
			at(map[string]attr.Value{"host": types.StringValue("https://a"), "exec": execWith(map[string]attr.Value{
				"api_version": types.StringValue("client.authentication.k8s.io/v1beta1"),
				"args":        types.ListValueMust(types.StringType, []attr.Value{types.StringValue("eks"), types.StringValue("get-token")}),
				"env":         types.MapValueMust(types.StringType, map[string]attr.Value{"AWS_PROFILE": types.StringValue("lab")}),
			})}),
			kube.Connection{Host: "https://a", Exec: &kube.Exec{
				APIVersion: "client.authentication.k8s.io/v1beta1", Command: "aws", Args: []string{"eks", "get-token"}, Env: map[string]string{"AWS_PROFILE": "lab"},
			}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, diags := Decode(t.Context(), test.cluster)
			if diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("connection (-want +got):\n%s", diff)
			}
		})
	}
}

// server is an API server that notes the credentials it is given.
func server(t *testing.T) (url string, seen func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":"u-1"}}`))
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func TestTheTokenGoesToItsOwnHostAlone(t *testing.T) {
	home, seenAtHome := server(t)
	elsewhere, seenElsewhere := server(t)
	hub := NewHub("test")
	hub.Default = &kube.Connection{Host: home, Token: "secret"}
	for _, cluster := range []types.Object{types.ObjectNull(AttrTypes()), hostOf(home), hostOf(elsewhere)} {
		connected, err := hub.Cluster(t.Context(), cluster)
		if err != nil {
			t.Fatal(err)
		}
		if uid, err := connected.UID(t.Context()); err != nil || uid != "u-1" {
			t.Fatalf("uid %q, err %v", uid, err)
		}
	}
	// The provider's own cluster and the same host in a resource are one connection.
	if diff := cmp.Diff([]string{"Bearer secret"}, seenAtHome()); diff != "" {
		t.Errorf("at the provider's host (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{""}, seenElsewhere()); diff != "" {
		t.Errorf("at another host (-want +got):\n%s", diff)
	}
}

func TestClusterIsSharedByTheResourcesThatNameIt(t *testing.T) {
	hub := NewHub("test")
	first, err := hub.Cluster(t.Context(), hostOf("https://a"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := hub.Cluster(t.Context(), hostOf("https://a"))
	if err != nil || first != again {
		t.Errorf("another client for the same cluster, err %v", err)
	}
	other, err := hub.Cluster(t.Context(), hostOf("https://b"))
	if err != nil || first == other {
		t.Errorf("the same client for another cluster, err %v", err)
	}
}

func TestThereIsNoAmbientCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nowhere")
	t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "6443")
	for _, cluster := range []types.Object{types.ObjectNull(AttrTypes()), at(nil)} {
		if _, err := NewHub("test").Cluster(t.Context(), cluster); !errors.Is(err, kube.ErrNoConnection) {
			t.Errorf("err = %v", err)
		}
	}
}

func TestTokenComesFromTheArgumentBeforeTheEnvironment(t *testing.T) {
	t.Setenv(TokenEnv, "from the environment")
	for want, argument := range map[string]types.String{
		"from the argument":    types.StringValue("from the argument"),
		"from the environment": types.StringNull(),
	} {
		if got := Token(argument); got != want {
			t.Errorf("got the token %s, want the one %s", got, want)
		}
	}
}
