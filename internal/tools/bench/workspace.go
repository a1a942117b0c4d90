// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

//go:embed *.tf
var configurations embed.FS

// Exit codes of a plan with -detailed-exitcode.
const (
	noChange = 0
	change   = 2
)

// workspace is one configuration with its state.
type workspace struct {
	dir, terraform string
	env            []string
}

// outcome is what one run cost.
type outcome struct {
	seconds float64
	peakMiB int
}

// newWorkspace prepares a configuration; variables are name=value.
func newWorkspace(ctx context.Context, dir, configuration string, options Options, variables ...string) (*workspace, error) {
	text, err := configurations.ReadFile(configuration)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), text, 0o600); err != nil {
		return nil, err
	}
	w := &workspace{dir: dir, terraform: options.Terraform, env: append(os.Environ(), "TF_CLI_CONFIG_FILE="+options.CLIConfig)}
	for _, variable := range variables {
		w.env = append(w.env, "TF_VAR_"+variable)
	}
	_, err = w.run(ctx, 0, "init")
	return w, err
}

// run runs Terraform, and fails unless it ends with the exit code want.
func (w *workspace) run(ctx context.Context, want int, args ...string) (outcome, error) {
	command := exec.CommandContext(ctx, w.terraform, append(args, "-input=false", "-no-color")...)
	command.Dir, command.Env = w.dir, w.env
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output

	start := time.Now()
	if err := command.Start(); err != nil {
		return outcome{}, err
	}
	peak := watchPeak(command.Process.Pid)
	err := command.Wait()
	seconds := time.Since(start).Round(time.Millisecond).Seconds()
	peakMiB := peak()

	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	if code := command.ProcessState.ExitCode(); code != want {
		return outcome{}, fmt.Errorf("%s ended with exit code %d, not %d:\n%s", args[0], code, want, tail(output.Bytes(), 4000))
	}
	fmt.Fprintf(os.Stderr, "%-9s %-8s %8.2f s\n", filepath.Base(w.dir), args[0], seconds)
	return outcome{seconds: seconds, peakMiB: peakMiB}, nil
}

func (w *workspace) stateBytes() (int64, error) {
	info, err := os.Stat(filepath.Join(w.dir, "terraform.tfstate"))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func tail(text []byte, size int) []byte {
	return text[max(0, len(text)-size):]
}

// median returns the middle of the values, the mean of the two middle ones if they are
// even in number, and 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
