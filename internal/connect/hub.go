// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package connect turns the "cluster" argument into a connection and hands out one shared
// client for each cluster.
package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// TokenEnv is the environment variable that holds a bearer token for the provider's cluster.
const TokenEnv = "TRAINYARD_TOKEN"

// Hub is what the provider hands to its resources.
type Hub struct {
	// Owner marks the objects of this installation (label trainyard.io/owner).
	Owner string
	// Default is the provider block's cluster; Unknown: it is only known after apply.
	Default *kube.Connection
	Unknown bool
	// Charts finds charts; ChartCredentials opens chart repositories, by host.
	Charts           *chartstore.Store
	ChartCredentials map[string]chartstore.Credentials
	// ImageMirror is the registry below which images are pulled; "" for their own.
	ImageMirror string

	userAgent string
	mu        sync.Mutex
	clusters  map[string]*kube.Cluster
}

// NewHub returns a hub that names itself to API servers as trainyard/version.
func NewHub(version string) *Hub {
	return &Hub{userAgent: "trainyard/" + version, clusters: map[string]*kube.Cluster{}, Charts: chartstore.New("", "")}
}

// Known says whether the connection that a resource would use can be told now.
func (h *Hub) Known(cluster types.Object) bool {
	if cluster.IsNull() {
		return !h.Unknown
	}
	value, err := cluster.ToTerraformValue(context.Background()) // no context is used
	return err == nil && value.IsFullyKnown()
}

// Cluster returns the client for a resource's cluster argument, or for the provider's own
// where that is null.
func (h *Hub) Cluster(ctx context.Context, cluster types.Object) (*kube.Cluster, error) {
	connection := h.Default
	if !cluster.IsNull() {
		own, diags := Decode(ctx, cluster)
		if diags.HasError() {
			return nil, fmt.Errorf("read the cluster argument: %s", diags[0].Detail())
		}
		if h.Default != nil && own.Host == h.Default.Host && own.Host != "" && own.Exec == nil {
			own.Token = h.Default.Token // a token goes to the host it was given for, and nowhere else
		}
		connection = own
	}
	if connection == nil {
		return nil, kube.ErrNoConnection
	}
	key, err := json.Marshal(connection)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if found := h.clusters[string(key)]; found != nil {
		return found, nil
	}
	made, err := kube.Connect(*connection, h.userAgent)
	if err != nil {
		return nil, err
	}
	h.clusters[string(key)] = made
	return made, nil
}

// model is the "cluster" argument as Terraform gives it.
type model struct {
	KubeconfigPath types.String `tfsdk:"kubeconfig_path"`
	Context        types.String `tfsdk:"context"`
	Host           types.String `tfsdk:"host"`
	CA             types.String `tfsdk:"ca"`
	Exec           types.Object `tfsdk:"exec"`
}

type execModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

// Decode reads a wholly known cluster argument.
func Decode(ctx context.Context, cluster types.Object) (*kube.Connection, diag.Diagnostics) {
	var m model
	diags := cluster.As(ctx, &m, basetypes.ObjectAsOptions{})
	connection := &kube.Connection{
		KubeconfigPath: m.KubeconfigPath.ValueString(), Context: m.Context.ValueString(),
		Host: m.Host.ValueString(), CA: m.CA.ValueString(),
	}
	if m.Exec.IsNull() || diags.HasError() {
		return connection, diags
	}
	var e execModel
	diags.Append(m.Exec.As(ctx, &e, basetypes.ObjectAsOptions{})...)
	exec := &kube.Exec{APIVersion: e.APIVersion.ValueString(), Command: e.Command.ValueString()}
	if exec.APIVersion == "" {
		exec.APIVersion = "client.authentication.k8s.io/v1"
	}
	diags.Append(e.Args.ElementsAs(ctx, &exec.Args, false)...)
	diags.Append(e.Env.ElementsAs(ctx, &exec.Env, false)...)
	connection.Exec = exec
	return connection, diags
}

// Token returns the bearer token: the provider's argument, else the environment.
func Token(argument types.String) string {
	if argument.ValueString() != "" {
		return argument.ValueString()
	}
	return os.Getenv(TokenEnv)
}

// AttrTypes are the types of the cluster argument's attributes.
func AttrTypes() map[string]attr.Type {
	return map[string]attr.Type{
		"kubeconfig_path": types.StringType, "context": types.StringType, "host": types.StringType, "ca": types.StringType,
		"exec": types.ObjectType{AttrTypes: map[string]attr.Type{
			"api_version": types.StringType, "command": types.StringType,
			"args": types.ListType{ElemType: types.StringType}, "env": types.MapType{ElemType: types.StringType},
		}},
	}
}
