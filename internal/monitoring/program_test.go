// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var (
	promtoolPath     = built("promtool")
	prometheusPath   = built("prometheus")
	alertmanagerPath = built("alertmanager")
)

// built finds a program that the script of its name builds once a machine.
func built(name string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		build := exec.Command(filepath.Join("..", "tools", "scripts", name+".sh"))
		build.Stderr = os.Stderr
		path, err := build.Output()
		return strings.TrimSpace(string(path)), err
	})
}

func program(t *testing.T, find func() (string, error)) string {
	t.Helper()
	path, err := find()
	if err != nil {
		t.Fatalf("a program of the tests cannot be built: %v", err)
	}
	return path
}

// promtool runs the real promtool and fails the test where it does.
func promtool(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(program(t, promtoolPath), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// write puts a file into a folder of the test.
func write(t *testing.T, dir, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// golden compares rendered text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		write(t, "testdata", name, got)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// Files may be checked out with other line ends.
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
