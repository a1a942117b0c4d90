// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package acctest is what acceptance tests share: the API server that they run against,
// hand edits and looks at its objects, the provider in this process or as a program, and
// Terraform itself.
package acctest

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"testing"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// KubeconfigEnv names the kubeconfig of the testbed that acceptance tests run against.
const KubeconfigEnv = "TRAINYARD_KUBECONFIG"

// Bed is an API server to test against, seen by its administrator.
type Bed struct {
	Kubeconfig string
	Config     *rest.Config

	t       *testing.T
	dynamic dynamic.Interface
}

// New returns the testbed, or skips the test where no acceptance tests are wanted (TF_ACC).
func New(t *testing.T) *Bed {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1; `make test-acc` starts what they need")
	}
	path := os.Getenv(KubeconfigEnv)
	if path == "" {
		t.Fatalf("TF_ACC is set and %s is not: name the kubeconfig of a testbed (bin/testbed up prints it), or run `make test-acc`", KubeconfigEnv)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatalf("read the kubeconfig of %s: %v", KubeconfigEnv, err)
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatalf("make a client for the testbed: %v", err)
	}
	return &Bed{Kubeconfig: path, Config: config, t: t, dynamic: client}
}

// Client reaches the testbed as its administrator, for what the methods here cannot do.
func (b *Bed) Client() dynamic.Interface { return b.dynamic }

// With is the same testbed for another test, such as a subtest.
func (b *Bed) With(t *testing.T) *Bed {
	t.Helper()
	other := *b
	other.t = t
	return &other
}

// Name returns a name that no other test has, so that tests share the API server.
func Name(prefix string) string {
	suffix := make([]byte, 4)
	_, _ = rand.Read(suffix) // never fails
	return prefix + "-" + hex.EncodeToString(suffix)
}
