// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"os"
	"os/exec"
	"testing"
)

// helmEnv names the helm command with which tests do by hand what people do.
const helmEnv = "TRAINYARD_HELM"

func (s *stage) helmProgram() string {
	s.t.Helper()
	program := os.Getenv(helmEnv)
	if program == "" {
		s.t.Fatalf("TF_ACC is set and %s is not: name a helm command (internal/tools/scripts/helm.sh builds one and prints its path)", helmEnv)
	}
	return program
}

// helm runs the helm command in the stage's namespace.
func (s *stage) helm(args ...string) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), s.helmProgram(), append(args, "--namespace", s.ns, "--kubeconfig", s.Kubeconfig)...)
	if output, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("helm %v: %v\n%s", args, err, output)
	}
}

// drifts fails the test unless the next plan shows exactly this drift, and the apply after it
// puts everything back, leaving the revision at this.
func (w run) drifts(t *testing.T, revision string, lines ...string) {
	t.Helper()
	got := w.planned()
	w.showsDrift(t, got, lines...)
	w.settle()
	if w.revision() != revision || !w.ready() {
		t.Errorf("revision %s, ready %v, status %v; want revision %s", w.revision(), w.ready(), w.attributes()["status"], revision)
	}
}
