// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package testbed is a real Kubernetes control plane on one machine, with GPU
// nodes that only the API server believes in. The command is cmd/testbed; this
// package holds what the module knows about itself: the versions it pins.
package testbed

import (
	_ "embed"
	"fmt"

	"golang.org/x/mod/modfile"
)

//go:embed go.mod
var goMod []byte

// ModulePath is the path of this nested module.
const ModulePath = "github.com/trainyard/terraform-provider-trainyard/internal/testbed"

// Version returns the version, such as "v1.36.3", at which go.mod requires the
// module. The replace lines of go.mod count, as they do for the compiler.
func Version(module string) (string, error) {
	file, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return "", fmt.Errorf("cannot read the embedded go.mod: %w", err)
	}
	for _, replace := range file.Replace {
		if replace.Old.Path == module {
			return replace.New.Version, nil
		}
	}
	for _, require := range file.Require {
		if require.Mod.Path == module {
			return require.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("go.mod requires no module %q", module)
}
