// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import "testing"

func TestClassesGetNamesThatNoOtherParametersHave(t *testing.T) {
	class := StorageClass{Name: "fast", Provisioner: "csi.example.com", Parameters: map[string]string{"pool": "a"}, Reclaim: "Delete", Binding: "Immediate"}
	other := class
	other.Parameters = map[string]string{"pool": "b"}
	suffixed := other
	suffixed.Name = "fast-" + other.Print()
	renamed, wider := other, class
	renamed.Name, wider.Expand, wider.Default = "faster", true, true
	for name, test := range map[string]struct {
		want StorageClass
		kept []KeptClass
		name string
	}{
		"a first one has its own":                  {class, nil, "fast"},
		"one that stands keeps it":                 {class, []KeptClass{{StorageClass: class, Purpose: "p"}}, "fast"},
		"what may change does not change it":       {wider, []KeptClass{{StorageClass: class, Purpose: "p"}}, "fast"},
		"other parameters make another":            {other, []KeptClass{{StorageClass: class, Purpose: "p"}}, suffixed.Name},
		"which stays once it stands":               {other, []KeptClass{{StorageClass: class, Purpose: "p", Old: true}, {StorageClass: suffixed, Purpose: "p"}}, suffixed.Name},
		"the first parameters find the first name": {class, []KeptClass{{StorageClass: class, Purpose: "p", Old: true}, {StorageClass: suffixed, Purpose: "p"}}, "fast"},
		"a name of the user's is taken":            {renamed, []KeptClass{{StorageClass: class, Purpose: "p"}}, "faster"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NameClasses(map[string]StorageClass{"p": test.want}, test.kept)["p"].Name; got != test.name {
				t.Errorf("got %q, want %q", got, test.name)
			}
		})
	}
}

func TestNeedIsTheSumOverPools(t *testing.T) {
	if got := NeedGBps([]Readers{{Pool: "h100", Each: 2, Count: 64}, {Pool: "a100", Each: 1, Count: 32}, {Pool: "cpu", Count: 8}}); got != 160 {
		t.Errorf("%d", got)
	}
}
