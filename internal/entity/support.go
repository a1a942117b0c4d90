// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// connect returns the resource's cluster, sure that it is still the one that state speaks of.
func (e *base) connect(ctx context.Context, at types.Object, pinned string) (*kube.Cluster, string, error) {
	if e.hub == nil {
		return nil, "", errors.New("the provider is not configured")
	}
	cluster, err := e.hub.Cluster(ctx, at)
	if err != nil {
		return nil, "", err
	}
	uid, err := cluster.UID(ctx)
	if err != nil {
		return nil, "", err
	}
	if pinned != "" && pinned != uid {
		return nil, "", fmt.Errorf("another cluster answers behind this connection: the UID of its namespace kube-system is %s, and this resource was made in the cluster %s\n\n"+
			"Point the connection back at that cluster. Where it is gone for good, remove the resource from state (terraform state rm) and apply again", uid, pinned)
	}
	return cluster, uid, nil
}

// failed is the one diagnostic of an operation that went wrong.
func (e *base) failed(verb, name string, err error) diag.Diagnostics {
	summary, detail := fmt.Sprintf("Unable to %s %s %q", verb, e.noun, name), kube.Explain(err).Error()
	if place := spec.PlaceOf(err); place != nil {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(attributePath(place), summary, detail)}
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, detail)}
}

func (e *envelope[M, P]) secrets(ctx context.Context, config tfsdk.Config, model *M) diag.Diagnostics {
	if e.kind.Secrets == nil {
		return nil
	}
	return e.kind.Secrets(ctx, config, model)
}

func diagnosticsError(diags diag.Diagnostics) error {
	var all []error
	for _, d := range diags.Errors() {
		all = append(all, fmt.Errorf("%s: %s", d.Summary(), d.Detail()))
	}
	return errors.Join(all...)
}

// identity is what names a resource for import blocks.
type identity struct {
	Name types.String `tfsdk:"name"`
}

// setIdentity runs before anything can fail, so that a failed create has its identity.
func setIdentity(ctx context.Context, to *tfsdk.ResourceIdentity, name types.String) diag.Diagnostics {
	if to == nil || name.IsUnknown() {
		return nil
	}
	return to.Set(ctx, identity{Name: name})
}

// The private state remembers which cluster a resource was made in.
const pinKey = "cluster"

type pinned struct {
	UID string `json:"uid"`
}

type keyGetter interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type keySetter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readPin(ctx context.Context, private keyGetter) (p pinned, diags diag.Diagnostics) {
	raw, diags := private.GetKey(ctx, pinKey)
	if len(raw) == 0 {
		return p, diags
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		diags.AddError("Unable to read the private state", err.Error())
	}
	return p, diags
}

func (p pinned) write(ctx context.Context, private keySetter) diag.Diagnostics {
	raw, err := json.Marshal(p)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Unable to write the private state", err.Error())}
	}
	return private.SetKey(ctx, pinKey, raw)
}
