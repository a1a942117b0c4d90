// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package crdgen turns the Go types of volcano.sh/apis into custom resource
// definitions, with the options that Volcano's own build gives to controller-gen
// but without descriptions, which nothing here reads.
package crdgen

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// Packages are the API packages whose types become definitions.
var Packages = []string{
	"volcano.sh/apis/pkg/apis/batch/v1alpha1",
	"volcano.sh/apis/pkg/apis/bus/v1alpha1",
	"volcano.sh/apis/pkg/apis/flow/v1alpha1",
	"volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1",
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1",
	"volcano.sh/apis/pkg/apis/topology/v1alpha1",
}

// Generate returns the definitions as one YAML stream, sorted by name. It needs
// the go command and this module's sources.
func Generate() ([]byte, error) {
	noDescriptions, embedded := 0, true
	var generator genall.Generator = crd.Generator{
		CRDVersions:                []string{"v1"},
		MaxDescLen:                 &noDescriptions,
		GenerateEmbeddedObjectMeta: &embedded,
	}
	runtime, err := genall.Generators{&generator}.ForRoots(Packages...)
	if err != nil {
		return nil, fmt.Errorf("cannot load the packages of volcano.sh/apis: %w", err)
	}
	files := documents{}
	var messages bytes.Buffer
	runtime.OutputRules = genall.OutputRules{Default: files}
	runtime.ErrorWriter = &messages
	if runtime.Run() {
		return nil, fmt.Errorf("cannot generate the Volcano definitions: %s", messages.String())
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	out.WriteString("# Generated from volcano.sh/apis by go generate; do not edit.\n")
	for _, name := range names {
		out.Write(files[name].Bytes())
	}
	return out.Bytes(), nil
}

// documents keeps in memory what the generator would write to files.
type documents map[string]*bytes.Buffer

// Open implements genall.OutputRule.
func (d documents) Open(_ *loader.Package, path string) (io.WriteCloser, error) {
	d[path] = &bytes.Buffer{}
	return nopCloser{d[path]}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
