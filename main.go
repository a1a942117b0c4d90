// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Command terraform-provider-trainyard serves the Trainyard provider to Terraform
// and OpenTofu.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider"
)

// version is stamped by the linker when a binary is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger: print how Terraform reaches this process instead of being started by it")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/trainyard/trainyard",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatalf("Unable to serve the provider: %v", err)
	}
}
