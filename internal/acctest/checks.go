// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// ExpectDrift is a plan check: the resource's drift has exactly these lines, each matching
// its regular expression, and the plan empties it.
func ExpectDrift(address string, lines ...string) plancheck.PlanCheck {
	return driftCheck{address: address, lines: lines}
}

type driftCheck struct {
	address string
	lines   []string
}

func (c driftCheck) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	index := slices.IndexFunc(req.Plan.ResourceChanges, func(change *tfjson.ResourceChange) bool { return change.Address == c.address })
	if index < 0 {
		resp.Error = fmt.Errorf("the plan has no %s", c.address)
		return
	}
	change := req.Plan.ResourceChanges[index].Change
	before, after := driftOf(change.Before), driftOf(change.After)
	if len(after) > 0 {
		resp.Error = fmt.Errorf("the plan leaves drift: %q", after)
		return
	}
	if len(before) != len(c.lines) {
		resp.Error = fmt.Errorf("drift is %q, want lines like %q", before, c.lines)
		return
	}
	for i, line := range before {
		if !regexp.MustCompile(c.lines[i]).MatchString(line) {
			resp.Error = fmt.Errorf("drift says %q, want it like %q", line, c.lines[i])
			return
		}
	}
}

func driftOf(value any) (lines []string) {
	attributes, _ := value.(map[string]any)
	list, _ := attributes["drift"].([]any)
	for _, line := range list {
		lines = append(lines, fmt.Sprint(line))
	}
	return lines
}

// Look is a state check that looks at the cluster instead of the state.
func Look(look func() error) statecheck.StateCheck { return lookCheck(look) }

type lookCheck func() error

func (c lookCheck) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = c()
}
