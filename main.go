// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Command terraform-provider-trainyard serves the Trainyard provider to Terraform
// and OpenTofu.
package main

import (
	"flag"
	"log"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider"
)

// version is stamped by the linker when a binary is built.
var version = "dev"

func main() {
	debugger := flag.Bool("debug", false, "wait for a debugger: print how Terraform reaches this process instead of being started by it")
	flag.Parse()
	quietSDK()
	debug.SetGCPercent(collectRarely)
	debug.SetMemoryLimit(memoryLimit)

	var options []tf6server.ServeOpt
	if *debugger {
		options = append(options, tf6server.WithManagedDebug())
	}
	err := tf6server.Serve("registry.terraform.io/trainyard/trainyard", provider.Server(version), options...)
	if err != nil {
		log.Fatalf("Unable to serve the provider: %v", err)
	}
}

// A plan of thousands of resources makes much short-lived garbage and keeps little: it is
// collected rarely until memory reaches the limit, and as often as needed from there.
const (
	collectRarely = 400
	memoryLimit   = 144 << 20
)

// quietSDK turns off the trace that the SDK writes for every call unless somebody asked for
// a log. Terraform would throw the lines away, after a quarter of the provider's work went
// into writing them.
func quietSDK() {
	for _, asked := range []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_TRAINYARD"} {
		if os.Getenv(asked) != "" {
			return
		}
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"} {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, "OFF"); err != nil {
				log.Printf("Unable to quiet the SDK's log: %v", err)
			}
		}
	}
}
