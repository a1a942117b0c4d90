// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var errFramework = errors.New("the framework was asked")

type framework struct{ tfprotov6.ProviderServer }

func (framework) PlanResourceChange(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return nil, errFramework
}

func TestOnlyWhatHasNotChangedIsPlannedWithoutTheFramework(t *testing.T) {
	state := func(name string, drift ...string) *tfprotov6.DynamicValue {
		kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "drift": tftypes.List{ElementType: tftypes.String}}}
		lines := []tftypes.Value{}
		for _, line := range drift {
			lines = append(lines, tftypes.NewValue(tftypes.String, line))
		}
		value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, map[string]tftypes.Value{
			"name": tftypes.NewValue(tftypes.String, name), "drift": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, lines),
		}))
		if err != nil {
			t.Fatal(err)
		}
		return &value
	}
	seenBy := func(version string) []byte {
		private, err := json.Marshal(map[string][]byte{"cluster": []byte(`{"uid":"u","version":"` + version + `"}`)})
		if err != nil {
			t.Fatal(err)
		}
		return private
	}
	for name, test := range map[string]struct {
		prior, proposed *tfprotov6.DynamicValue
		private         []byte
		short           bool
	}{
		"nothing has changed":          {state("a"), state("a"), seenBy("1"), true},
		"the configuration changed":    {state("a"), state("b"), seenBy("1"), false},
		"there is drift":               {state("a", "Queue a: deleted"), state("a", "Queue a: deleted"), seenBy("1"), false},
		"a name that reads like none":  {state("drift"), state("drift", "x"), seenBy("1"), false},
		"another version wrote it":     {state("a"), state("a"), seenBy("2"), false},
		"no version is known":          {state("a"), state("a"), nil, false},
		"it is new":                    {nil, state("a"), nil, false},
		"the private part is unsound":  {state("a"), state("a"), []byte("{"), false},
		"drift looks empty in a value": {state("drift\u0090", "y"), state("drift\u0090", "y"), seenBy("1"), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{ProviderServer: framework{}, version: "1"}
			resp, err := s.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
				PriorState: test.prior, ProposedNewState: test.proposed, PriorPrivate: test.private,
			})
			if short := err == nil; short != test.short {
				t.Fatalf("planned without the framework: %v, want %v", short, test.short)
			}
			if test.short && (resp.PlannedState != test.prior || string(resp.PlannedPrivate) != string(test.private)) {
				t.Errorf("the plan is not what stands: %+v", resp)
			}
		})
	}
}
