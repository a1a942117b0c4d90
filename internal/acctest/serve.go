// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider"
)

// addresses are what Terraform and OpenTofu call the provider.
var addresses = []string{"registry.terraform.io/trainyard/trainyard", "registry.opentofu.org/trainyard/trainyard"}

// serve runs the provider in this process until the test ends, and returns how Terraform
// finds it (TF_REATTACH_PROVIDERS).
func serve(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	attach, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		_ = tf6server.Serve(addresses[0], provider.Server(version),
			tf6server.WithDebug(ctx, attach, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(t))
	}()
	t.Cleanup(func() {
		cancel()
		<-closed
	})
	config := <-attach
	entry := map[string]any{
		"Protocol": config.Protocol, "ProtocolVersion": config.ProtocolVersion, "Pid": config.Pid, "Test": true,
		"Addr": map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
	}
	providers := map[string]any{}
	for _, address := range addresses {
		providers[address] = entry
	}
	text, err := json.Marshal(providers)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Program is the file name of the built provider.
const Program = "terraform-provider-trainyard"

// programDirEnv names a folder with the built provider; without it, tests build one.
const programDirEnv = "TRAINYARD_PROVIDER_DIR"

var buildProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "trainyard-provider-")
	if err != nil {
		return "", err
	}
	_, file, _, _ := runtime.Caller(0)
	build := exec.CommandContext(context.Background(), "go", "build", "-o", filepath.Join(dir, Program), ".")
	build.Dir = filepath.Join(filepath.Dir(file), "..", "..")
	build.Stderr = os.Stderr
	return dir, build.Run()
})

// programDir is the folder with the built provider. One that was built here is left to the
// system's temporary folder, because tests of the whole process share it.
func programDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv(programDirEnv); dir != "" {
		return dir
	}
	dir, err := buildProgram()
	if err != nil {
		t.Fatalf("build the provider: %v", err)
	}
	return dir
}
