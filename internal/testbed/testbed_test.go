// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package testbed_test

import (
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed"
)

// Kubernetes publishes v1.N.P as one module and its staging modules as v0.N.P;
// a program built from two of them at different versions is no release at all.
func TestStagingModulesMatchKubernetes(t *testing.T) {
	kubernetes, err := testbed.Version("k8s.io/kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	want := "v0." + strings.TrimPrefix(kubernetes, "v1.")
	for _, module := range []string{"k8s.io/api", "k8s.io/apiserver", "k8s.io/client-go", "k8s.io/component-base", "k8s.io/streaming"} {
		got, err := testbed.Version(module)
		if err != nil {
			t.Errorf("%s: %v", module, err)
		}
		if got != want {
			t.Errorf("%s is at %s, want %s to go with Kubernetes %s", module, got, want, kubernetes)
		}
	}
}

func TestVersionNamesAnUnknownModule(t *testing.T) {
	_, err := testbed.Version("example.com/nothing")
	if err == nil || !strings.Contains(err.Error(), `"example.com/nothing"`) {
		t.Errorf("got error %v, want one that names the module", err)
	}
}
