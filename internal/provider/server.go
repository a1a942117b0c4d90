// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"bytes"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

// Server returns a constructor of the provider as Terraform speaks to it.
func Server(version string) func() tfprotov6.ProviderServer {
	serve := providerserver.NewProtocol6(New(version)())
	return func() tfprotov6.ProviderServer {
		return &server{ProviderServer: serve(), version: version}
	}
}

// server answers for what has not changed without the framework, whose walk through the
// schema is the larger part of a plan of thousands of resources.
type server struct {
	tfprotov6.ProviderServer

	version string
}

// PlanResourceChange plans an unchanged resource to stay as it is.
func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if !s.unchanged(req) {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity,
	}, nil
}

// noDrift is an empty list "drift" in MessagePack. It is no valid UTF-8, so that no text of a
// user can look like it.
var noDrift = []byte("\xa5drift\x90")

// unchanged says whether Terraform proposes what stands already. Its proposal has the
// configuration merged into the prior state, and equal values have equal bytes. A state that
// another version wrote is planned in full, because defaults may differ between versions.
func (s *server) unchanged(req *tfprotov6.PlanResourceChangeRequest) bool {
	if req.PriorState == nil || req.ProposedNewState == nil || len(req.PriorState.MsgPack) == 0 {
		return false
	}
	return bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) &&
		bytes.Contains(req.PriorState.MsgPack, noDrift) && entity.SeenBy(req.PriorPrivate) == s.version
}
