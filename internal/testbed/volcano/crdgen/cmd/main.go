// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Command cmd writes the Volcano definitions to the file that it is given.
package main

import (
	"fmt"
	"os"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/volcano/crdgen"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: %s FILE", os.Args[0])
	}
	definitions, err := crdgen.Generate()
	if err != nil {
		return err
	}
	return os.WriteFile(os.Args[1], definitions, 0o644)
}
