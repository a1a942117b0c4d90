// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/progress"
)

// A component that go.mod does not name as a tool would lose its sums at the
// next go mod tidy.
func TestEveryComponentIsAToolOfTheModule(t *testing.T) {
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range All() {
		if !slices.ContainsFunc(file.Tool, func(tool *modfile.Tool) bool { return tool.Path == c.Package }) {
			t.Errorf("go.mod has no line \"tool %s\"", c.Package)
		}
	}
}

func TestLdflagsStampTheVersion(t *testing.T) {
	tests := []struct {
		component Component
		version   string
		want      []string
	}{
		{APIServer, "v1.36.3", []string{
			"-X k8s.io/component-base/version.gitVersion=v1.36.3",
			"-X k8s.io/component-base/version.gitMajor=1",
			"-X k8s.io/component-base/version.gitMinor=36",
			"-X k8s.io/client-go/pkg/version.gitVersion=v1.36.3",
		}},
		{Kwok, "v0.8.0", []string{"-X sigs.k8s.io/kwok/pkg/consts.Version=0.8.0"}},
		{Etcd, "v3.6.16", []string{"-s -w"}},
	}
	for _, test := range tests {
		got := test.component.ldflags(test.version)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: linker flags %q lack %q", test.component.Name, got, want)
			}
		}
	}
}

func TestEnsureTakesWhatTheCacheHas(t *testing.T) {
	version, err := Etcd.Version()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	want := filepath.Join(cache, "etcd-"+version+"-"+runtime.GOOS+"-"+runtime.GOARCH)
	if err := os.WriteFile(want, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	builder := Builder{CacheDir: cache, ModuleDir: "/nowhere", Progress: progress.Silent()}
	got, err := builder.Ensure(context.Background(), Etcd)
	if err != nil {
		t.Fatal(err)
	}
	if got["etcd"] != want {
		t.Errorf("got %q, want %q", got["etcd"], want)
	}
}

func TestEnsureSaysWhereItLookedForSources(t *testing.T) {
	builder := Builder{CacheDir: t.TempDir(), ModuleDir: t.TempDir(), Progress: progress.Silent()}
	_, err := builder.Ensure(context.Background(), Etcd)
	if err == nil || !strings.Contains(err.Error(), builder.ModuleDir) {
		t.Errorf("got error %v, want one that names %s", err, builder.ModuleDir)
	}
}

func TestModuleDirIsFoundFromInside(t *testing.T) {
	builder := Builder{}
	got, err := builder.moduleDir()
	if err != nil {
		t.Fatal(err)
	}
	want, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
