// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider"
)

// version is what the provider under test calls itself.
const version = "test"

// Factories serve the provider in this process to terraform-plugin-testing.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"trainyard": func() (tfprotov6.ProviderServer, error) { return provider.Server(version)(), nil },
	}
}

// Provider writes a provider block for a kubeconfig. Without an owner it has the default.
func Provider(kubeconfig, owner string) string {
	if owner != "" {
		owner = fmt.Sprintf("owner = %q", owner)
	}
	return fmt.Sprintf("provider \"trainyard\" {\n  cluster = { kubeconfig_path = %q }\n  %s\n}\n", kubeconfig, owner)
}
