// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestCheckLabelName(t *testing.T) {
	for name, want := range map[string]string{
		"a":                     "",
		"team-vision":           "",
		"0-9":                   "",
		strings.Repeat("a", 63): "",
		strings.Repeat("a", 64): "the name has 64 characters, the most is 63",
		"":                      `"" is not a DNS label`,
		"Vision":                `"Vision" is not a DNS label`,
		"team.vision":           `"team.vision" is not a DNS label`,
		"team_vision":           `"team_vision" is not a DNS label`,
		"-vision":               `"-vision" is not a DNS label`,
		"vision-":               `"vision-" is not a DNS label`,
		"visión":                `"visión" is not a DNS label`,
	} {
		var got string
		if err := CheckLabelName(name); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("CheckLabelName(%q) says %q, want %q", name, got, want)
		}
	}
}

func TestDevicesAreTheResourcesWithAForeignDomain(t *testing.T) {
	for name, want := range map[string]bool{
		"nvidia.com/gpu":          true,
		"nvidia.com/mig-1g.10gb":  true,
		"huawei.com/Ascend910":    true,
		"cpu":                     false,
		"hugepages-2Mi":           false,
		"kubernetes.io/batteries": false,
		"x.kubernetes.io/y":       false,
		"xkubernetes.io/y":        true,
	} {
		if got := isExtended(name); got != want {
			t.Errorf("isExtended(%q) = %t, want %t", name, got, want)
		}
	}
}

func FuzzCheckLabelName(f *testing.F) {
	for _, seed := range []string{"a", "team-vision", "-", "a.b", strings.Repeat("é", 40), "\x00", "a\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		accepted := CheckLabelName(name) == nil
		if want := len(validation.IsDNS1123Label(name)) == 0; accepted != want {
			t.Errorf("CheckLabelName accepts %q: %t, Kubernetes: %t", name, accepted, want)
		}
	})
}
