// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"strings"
	"testing"
)

// models is a small catalogue.
type models map[string]Accelerator

func (m models) Accelerator(name string) (Accelerator, bool) {
	found, ok := m[name]
	return found, ok
}

func (models) Names() []string { return []string{"h100", "mi300x"} }

var stocked = models{"h100": {Vendor: "nvidia", Profiles: []string{"1g.10gb", "7g.80gb"}}, "mi300x": {Vendor: "amd"}}

func h100Pool() Pool {
	return Pool{
		Name: "h100", Selector: map[string]string{"eks.amazonaws.com/nodegroup": "h100"}, Accelerator: "h100",
		Labels: map[string]string{"example.com/rack": "r1"},
		Taints: []Taint{{"nvidia.com/gpu", "present", "NoSchedule"}, {"nvidia.com/gpu", "present", "NoExecute"}},
		MIG:    &MIG{Strategy: "single", Profile: "1g.10gb"}, TimeSlices: 2, Fabric: "infiniband", Tasks: []string{"training", "data"},
	}
}

func TestPoolsAccept(t *testing.T) {
	cpu := Pool{Name: "cpu", Selector: map[string]string{"node.kubernetes.io/instance-type": "m7i.16xlarge"}}
	amd := Pool{Name: "amd", Selector: map[string]string{"pool": "amd"}, Accelerator: "mi300x"}
	if v := ValidatePools(map[string]Pool{"h100": h100Pool(), "cpu": cpu, "amd": amd}, stocked); len(v) > 0 {
		t.Errorf("refused: %v", v)
	}
}

func TestPoolsRefuse(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*Pool)
		path    string
		problem string
	}{
		{"a name that is no label", func(p *Pool) { p.Name = "H100" }, "", "not a DNS label"},
		{"no selector", func(p *Pool) { p.Selector = nil }, ".selector", "every node"},
		{"a selector by what the pool gives", func(p *Pool) { p.Selector = map[string]string{"trainyard.io/pool": "h100"} }, `.selector["trainyard.io/pool"]`, "given to the nodes"},
		{"a label that the selector uses", func(p *Pool) { p.Labels = p.Selector }, `.labels["eks.amazonaws.com/nodegroup"]`, "finds the nodes by it"},
		{"a label of ours", func(p *Pool) { p.Labels["trainyard.io/x"] = "y" }, `.labels["trainyard.io/x"]`, "Trainyard"},
		{"a selector that is no label", func(p *Pool) { p.Selector = map[string]string{"a b": "c"} }, `.selector["a b"]`, "not a qualified name"},
		{"a selector's value that is none", func(p *Pool) { p.Selector = map[string]string{"a": "b c"} }, `.selector["a"]`, "not the value of a label"},
		{"a label's value that is none", func(p *Pool) { p.Labels["x"] = "a b" }, `.labels["x"]`, "not the value of a label"},
		{"a taint without an effect", func(p *Pool) { p.Taints[0].Effect = "" }, ".taints[0].effect", "not an effect"},
		{"a taint twice", func(p *Pool) { p.Taints[1].Effect = "NoSchedule" }, ".taints[1]", "twice"},
		{"a taint's key that is none", func(p *Pool) { p.Taints[0].Key = "a b" }, ".taints[0].key", "not a qualified name"},
		{"a taint's value that is none", func(p *Pool) { p.Taints[0].Value = "a b" }, ".taints[0].value", "not a taint's value"},
		{"an unknown fabric", func(p *Pool) { p.Fabric = "token-ring" }, ".fabric", "not known"},
		{"an unknown task", func(p *Pool) { p.Tasks[1] = "mining" }, ".tasks[1]", "not known"},
		{"an unknown accelerator", func(p *Pool) { p.Accelerator = "h1000" }, ".accelerator", "not a model"},
		{"a profile of another model", func(p *Pool) { p.MIG.Profile = "1g.5gb" }, ".mig.profile", `no profile "1g.5gb"`},
		{"an unknown strategy", func(p *Pool) { p.MIG.Strategy = "none" }, ".mig.strategy", "not a strategy"},
		{"parts of a model that has none", func(p *Pool) { p.Accelerator, p.TimeSlices = "mi300x", 0 }, ".mig", "cannot be cut"},
		{"parts of no accelerator", func(p *Pool) { p.Accelerator, p.TimeSlices = "", 0 }, ".mig", "without an accelerator cannot be cut"},
		{"one share", func(p *Pool) { p.TimeSlices = 1 }, ".time_slices", "not a number of shares"},
		{"shares of another vendor's", func(p *Pool) { p.Accelerator, p.MIG = "mi300x", nil }, ".time_slices", "NVIDIA"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pool := h100Pool()
			test.change(&pool)
			v := ValidatePools(map[string]Pool{"p": pool}, stocked)
			want := `["p"]` + test.path
			for _, violation := range v {
				if violation.Path.String() == want && strings.Contains(violation.Problem, test.problem) && violation.Remedy != "" {
					return
				}
			}
			t.Errorf("got %v, want %s: %s", v, want, test.problem)
		})
	}
}

func TestTwoPoolsOfTheSameNodes(t *testing.T) {
	a, b := h100Pool(), h100Pool()
	b.Name = "other"
	v := ValidatePools(map[string]Pool{"h100": a, "other": b}, stocked)
	if len(v) != 1 || v[0].Path.String() != `["other"].selector` || !strings.Contains(v[0].Problem, `"h100"`) {
		t.Errorf("got %v", v)
	}
}
