// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"bytes"
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"
)

// framework stands for the framework behind the server: it gives "state" its default where
// the configuration leaves it open, and counts how often it is asked.
type framework struct {
	tfprotov6.ProviderServer

	asked int
}

func (f *framework) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	f.asked++
	var config, planned map[string]any
	if err := msgpack.Unmarshal(req.Config.MsgPack, &config); err != nil {
		return nil, err
	}
	if err := msgpack.Unmarshal(req.ProposedNewState.MsgPack, &planned); err != nil {
		return nil, err
	}
	if config["state"] == nil {
		planned["state"] = "open"
	}
	planned["drift"] = []any{}
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: value(planned)}, nil
}

func value(fields map[string]any) *tfprotov6.DynamicValue {
	var packed bytes.Buffer
	encoder := msgpack.NewEncoder(&packed)
	encoder.SetSortMapKeys(true) // as Terraform does: equal values have equal bytes
	if err := encoder.Encode(fields); err != nil {
		panic(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: packed.Bytes()}
}

type fields = map[string]any

func TestUnchangedResourcesAreAskedForOncePerSetOfOpenValues(t *testing.T) {
	behind := &framework{}
	s := &server{ProviderServer: behind}
	plan := func(config, prior fields) fields {
		t.Helper()
		resp, err := s.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: "trainyard_training_queue", Config: value(config), PriorState: value(prior), ProposedNewState: value(prior),
		})
		if err != nil {
			t.Fatal(err)
		}
		var planned fields
		if err := msgpack.Unmarshal(resp.PlannedState.MsgPack, &planned); err != nil {
			t.Fatal(err)
		}
		return planned
	}
	steps := []struct {
		name          string
		config, prior fields
		state         string
		asked         int
	}{
		{"the first of its kind", fields{"name": "a"}, fields{"name": "a", "state": "open", "drift": []any{}}, "open", 1},
		{"another that leaves the same open", fields{"name": "b"}, fields{"name": "b", "state": "open", "drift": []any{}}, "open", 1},
		{"one whose state was closed by an argument that is gone", fields{"name": "c"}, fields{"name": "c", "state": "closed", "drift": []any{}}, "open", 2},
		{"the same again", fields{"name": "c"}, fields{"name": "c", "state": "closed", "drift": []any{}}, "open", 3},
		{"one that says what it wants", fields{"name": "d", "state": "closed"}, fields{"name": "d", "state": "closed", "drift": []any{}}, "closed", 4},
		{"another that says it", fields{"name": "e", "state": "closed"}, fields{"name": "e", "state": "closed", "drift": []any{}}, "closed", 4},
		{"one with drift", fields{"name": "a"}, fields{"name": "a", "state": "open", "drift": []any{"Queue a: deleted"}}, "open", 5},
		{"a name that looks like no drift", fields{"name": "drift\u0090"}, fields{"name": "drift\u0090", "state": "open", "drift": []any{"x"}}, "open", 6},
	}
	for _, step := range steps {
		if got := plan(step.config, step.prior)["state"]; got != step.state {
			t.Errorf("%s: planned %v, want %s", step.name, got, step.state)
		}
		if behind.asked != step.asked {
			t.Errorf("%s: the framework was asked %d times, want %d", step.name, behind.asked, step.asked)
		}
	}
}

func TestWhatChangesOrIsNewGoesToTheFramework(t *testing.T) {
	behind := &framework{}
	s := &server{ProviderServer: behind}
	config, prior := fields{"name": "a"}, value(fields{"name": "a", "state": "open", "drift": []any{}})
	for _, req := range []*tfprotov6.PlanResourceChangeRequest{
		{Config: value(config), ProposedNewState: value(config)},
		{Config: value(config), ProposedNewState: value(fields{"name": "a", "state": "closed", "drift": []any{}}), PriorState: prior},
	} {
		before := behind.asked
		if _, err := s.PlanResourceChange(t.Context(), req); err != nil || behind.asked != before+1 {
			t.Errorf("not asked: %v", err)
		}
	}
}
