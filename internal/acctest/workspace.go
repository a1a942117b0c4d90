// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
)

// Workspace is a folder in which Terraform itself runs, for what terraform-plugin-testing
// cannot do: failing plans on a standing state, interrupted runs, two runs at once.
type Workspace struct {
	Dir string
	// Kubeconfig is the value of the variable "kubeconfig", which each configuration has.
	Kubeconfig string

	t      *testing.T
	config string
	env    []string
}

// preamble begins every configuration.
const preamble = `terraform {
  required_providers {
    trainyard = { source = "trainyard/trainyard" }
  }
}

variable "kubeconfig" { type = string }

`

// Owned is a provider block with an owner, for a Workspace.
func Owned(owner string) string {
	return `provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig }
  owner   = "` + owner + `"
}
`
}

// Workspace holds a configuration, without its terraform block, that runs against the
// provider in this process.
func (b *Bed) Workspace(config string) *Workspace {
	b.t.Helper()
	w := b.workspace(config)
	w.env = append(w.env, "TF_REATTACH_PROVIDERS="+serve(b.t))
	return w
}

// ProgramWorkspace is the same with the provider as a program of its own, which can be killed.
func (b *Bed) ProgramWorkspace(config string) *Workspace {
	b.t.Helper()
	w := b.workspace(config)
	rc := filepath.Join(w.Dir, "terraformrc")
	text := "provider_installation {\n  dev_overrides { \"trainyard/trainyard\" = \"" + programDir(b.t) + "\" }\n  direct {}\n}\n"
	b.check(os.WriteFile(rc, []byte(text), 0o600), "write the CLI configuration")
	w.env = append(w.env, "TF_CLI_CONFIG_FILE="+rc)
	return w
}

func (b *Bed) workspace(config string) *Workspace {
	b.t.Helper()
	w := &Workspace{Dir: b.t.TempDir(), Kubeconfig: b.Kubeconfig, t: b.t, env: cleanEnvironment()}
	w.Write(config)
	return w
}

// cleanEnvironment is the environment without what a developer's machine configures.
func cleanEnvironment() []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "TRAINYARD_") {
			env = append(env, entry)
		}
	}
	return append(env, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
}

// Through leads the provider through a fault proxy.
func (w *Workspace) Through(p *faultproxy.Proxy) *Workspace {
	w.Kubeconfig = p.Kubeconfig
	return w
}

// Setenv adds variables (NAME=value) to Terraform's environment.
func (w *Workspace) Setenv(variables ...string) { w.env = append(w.env, variables...) }

// Write replaces the configuration.
func (w *Workspace) Write(config string) {
	w.t.Helper()
	w.config = config
	w.put("main.tf", []byte(preamble+config))
}

// Config is the configuration without its terraform block.
func (w *Workspace) Config() string { return w.config }

// Adopt copies the configuration and the state of another workspace.
func (w *Workspace) Adopt(other *Workspace) *Workspace {
	w.t.Helper()
	w.Write(other.config)
	w.put(stateFile, other.State())
	return w
}

const stateFile = "terraform.tfstate"

// State is the state file, byte for byte; empty where there is none.
func (w *Workspace) State() []byte {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, stateFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatalf("read the state: %v", err)
	}
	return text
}

// SetState replaces the state file.
func (w *Workspace) SetState(text []byte) {
	w.t.Helper()
	w.put(stateFile, text)
}

func (w *Workspace) put(name string, text []byte) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), text, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// Names are the names of the resources of a type in the state.
func (w *Workspace) Names(resourceType string) (names []string) {
	w.t.Helper()
	text := w.State()
	if len(text) == 0 {
		return nil
	}
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct {
				Attributes struct{ Name string }
			}
		}
	}
	if err := json.Unmarshal(text, &state); err != nil {
		w.t.Fatalf("read the state: %v", err)
	}
	for _, resource := range state.Resources {
		for _, instance := range resource.Instances {
			if resource.Type == resourceType {
				names = append(names, instance.Attributes.Name)
			}
		}
	}
	return names
}

// Result is what a run of Terraform came to.
type Result struct {
	Code int
	// Text is the output with every run of white space and frame lines made one space, so
	// that it can be searched whatever the width of the lines.
	Text string
}

// Exit codes of terraform plan -detailed-exitcode.
const (
	Empty   = 0
	Failed  = 1
	Changes = 2
)

// Plan plans; the code is Empty, Failed or Changes.
func (w *Workspace) Plan() Result {
	w.t.Helper()
	return w.Run("plan", "-detailed-exitcode")
}

// Apply applies.
func (w *Workspace) Apply() Result {
	w.t.Helper()
	return w.Run("apply", "-auto-approve")
}

// Destroy destroys.
func (w *Workspace) Destroy() Result {
	w.t.Helper()
	return w.Run("destroy", "-auto-approve")
}

// Run runs one command of Terraform to its end.
func (w *Workspace) Run(args ...string) Result {
	w.t.Helper()
	var output bytes.Buffer
	command := w.Command(args...)
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("run terraform: %v", err)
	}
	return Result{Code: command.ProcessState.ExitCode(), Text: flatten(output.String())}
}

// Command prepares a command of Terraform in a process group of its own.
func (w *Workspace) Command(args ...string) *exec.Cmd {
	w.t.Helper()
	flags := []string{args[0], "-no-color"}
	if !slices.Contains([]string{"show", "validate", "get", "test"}, args[0]) { // they ask for nothing, and know no such flag
		flags = append(flags, "-input=false")
	}
	args = append(flags, args[1:]...)
	command := exec.CommandContext(context.WithoutCancel(w.t.Context()), terraform(w.t), args...)
	command.Dir = w.Dir
	command.Env = append(w.env, "TF_VAR_kubeconfig="+w.Kubeconfig)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}

// Must fails the test unless the code is as wanted.
func (w *Workspace) Must(result Result, code int) Result {
	w.t.Helper()
	if result.Code != code {
		w.t.Fatalf("Terraform ended with %d, want %d:\n%s", result.Code, code, result.Text)
	}
	return result
}

// Settled fails the test unless a plan is empty.
func (w *Workspace) Settled() {
	w.t.Helper()
	w.Must(w.Plan(), Empty)
}

func flatten(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)), " ")
}

func terraform(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	path, err := exec.LookPath("terraform")
	if err != nil {
		t.Fatalf("acceptance tests need terraform on the PATH, or its path in TF_ACC_TERRAFORM_PATH: %v", err)
	}
	return path
}
