// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"
)

// Server returns a constructor of the provider as Terraform speaks to it.
func Server(version string) func() tfprotov6.ProviderServer {
	serve := providerserver.NewProtocol6(New(version)())
	return func() tfprotov6.ProviderServer { return &server{ProviderServer: serve()} }
}

// server answers for what has not changed without the framework, whose walk through the
// schema is the larger part of a plan of thousands of resources.
type server struct {
	tfprotov6.ProviderServer

	// settled holds the left-over values (see leftOver) that the framework has let stand.
	settled sync.Map
}

// PlanResourceChange plans an unchanged resource to stay as it is. Terraform proposes the prior
// state with the configuration merged into it; where that is the prior state, only the values
// that the configuration leaves open can still change, to a default. The framework is asked
// once for each set of them.
func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	key, same := unchanged(req)
	if !same {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	if _, settled := s.settled.Load(key); settled {
		return &tfprotov6.PlanResourceChangeResponse{
			PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity,
		}, nil
	}
	resp, err := s.ProviderServer.PlanResourceChange(ctx, req)
	if err == nil && len(resp.Diagnostics) == 0 && len(resp.RequiresReplace) == 0 && equal(resp.PlannedState, req.PriorState) {
		s.settled.Store(key, true)
	}
	return resp, err
}

// noDrift is an empty list "drift" in MessagePack. It is no valid UTF-8, so that no text of a
// user can look like it.
var noDrift = []byte("\xa5drift\x90")

// notReady is "ready" with the value false: such a resource is applied again.
var notReady = []byte("\xa5ready\xc2")

// unchanged says whether Terraform proposes what stands already and nothing has drifted, and
// names the values that the configuration leaves open.
func unchanged(req *tfprotov6.PlanResourceChangeRequest) (key string, same bool) {
	prior, proposed, config := packed(req.PriorState), packed(req.ProposedNewState), packed(req.Config)
	if prior == nil || config == nil || !bytes.Equal(prior, proposed) || !bytes.Contains(prior, noDrift) || bytes.Contains(prior, notReady) {
		return "", false
	}
	stands, errStands := decode(prior)
	given, errGiven := decode(config)
	if errStands != nil || errGiven != nil {
		return "", false
	}
	open, err := json.Marshal(leftOver(given, stands))
	return req.TypeName + string(open), err == nil
}

// leftOver returns the part of what stands that the configuration does not give: defaults and
// computed values.
func leftOver(given, stands any) any {
	if given == nil {
		return stands
	}
	rest := map[string]any{}
	collect := func(name string, given, stands any) {
		if open := leftOver(given, stands); open != nil {
			rest[name] = open
		}
	}
	switch stands := stands.(type) {
	case map[string]any:
		fields, _ := given.(map[string]any)
		for name, value := range stands {
			collect(name, fields[name], value)
		}
	case []any:
		items, _ := given.([]any)
		for i := range min(len(items), len(stands)) {
			collect(strconv.Itoa(i), items[i], stands[i])
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return rest
}

func packed(value *tfprotov6.DynamicValue) []byte {
	if value == nil || len(value.MsgPack) == 0 {
		return nil
	}
	return value.MsgPack
}

// decode reads MessagePack with all integers of one type.
func decode(raw []byte) (value any, err error) {
	decoder := msgpack.NewDecoder(bytes.NewReader(raw))
	decoder.UseLooseInterfaceDecoding(true)
	return decoder.DecodeInterface()
}

// equal compares two values, whoever wrote them down.
func equal(a, b *tfprotov6.DynamicValue) bool {
	left, errLeft := decode(packed(a))
	right, errRight := decode(packed(b))
	if errLeft != nil || errRight != nil {
		return false
	}
	textLeft, errLeft := json.Marshal(left)
	textRight, errRight := json.Marshal(right)
	return errLeft == nil && errRight == nil && bytes.Equal(textLeft, textRight)
}
