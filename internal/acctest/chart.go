// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Root is the folder of the repository.
func Root(t *testing.T) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("this program does not know where its source lies")
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Chart is the folder of a real chart, taken from the Go module in which its project keeps it.
func Chart(t *testing.T, name string) string {
	t.Helper()
	script := filepath.Join(Root(t), "internal", "tools", "scripts", "chart.sh")
	output, err := exec.CommandContext(t.Context(), script, name).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("get the chart %s: %s", name, exit.Stderr)
	}
	if err != nil {
		t.Fatalf("get the chart %s: %v", name, err)
	}
	return strings.TrimSpace(string(output))
}
