// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// compileSchema reads the published schema as anybody's validator would.
func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(ChartSchema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("chart.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("chart.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(schema *jsonschema.Schema, data []byte) error {
	text, err := yaml.YAMLToJSON(data)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func TestEveryFileKeepsTheSchema(t *testing.T) {
	schema := compileSchema(t)
	files, err := fs.Glob(chartFiles, "charts/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no entries found: %v", err)
	}
	for _, file := range files {
		data, err := fs.ReadFile(chartFiles, file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, data); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestTheSchemaKnowsWhatTheTypesKnow(t *testing.T) {
	schema := compileSchema(t)
	for _, chart := range Charts() {
		data, err := json.Marshal(chart)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, data); err != nil {
			t.Errorf("%s, read and written again: %v", chart.Name, err)
		}
	}
}

const wellFormed = `
name: example
title: Example
home: https://example.com
source: {repository: "https://example.com/charts", name: example, version: 1.0.0, unpinned: Nobody knows.}
license: MIT
kubernetes: ">=1.25.0-0"
namespace: example
release: example
images: [{repository: image.repository, default: "example.com/app:1"}]
`

func TestTheSchemaRefuses(t *testing.T) {
	schema := compileSchema(t)
	if err := validate(schema, []byte(wellFormed)); err != nil {
		t.Fatalf("the entry that the others are made from: %v", err)
	}
	digest := "sha256:" + strings.Repeat("a", 64)
	for _, test := range []struct{ name, old, new string }{
		{"an unknown key", "license: MIT", "license: MIT\nlicence: MIT"},
		{"an entry without a licence", "license: MIT", ""},
		{"a digest beside the reason why there is none", "unpinned: Nobody knows.", "unpinned: Nobody knows., digest: " + digest},
		{"neither a digest nor a reason", ", unpinned: Nobody knows.", ""},
		{"a digest without its algorithm", "unpinned: Nobody knows.", "digest: " + strings.Repeat("a", 64)},
		{"a chart that is there and is not", "unpinned: Nobody knows.", "unpinned: Nobody knows., unavailable: It is not."},
		{"plain HTTP", "https://example.com/charts", "http://example.com/charts"},
		{"a range that shuts out a cloud's versions", ">=1.25.0-0", ">=1.25.0"},
		{"an image without values", "repository: image.repository, ", ""},
		{"an image without a tag", "example.com/app:1", "example.com/app"},
		{"an image without a registry", "example.com/app:1", "app:1"},
		{"a reference and its parts", "repository: image.repository", "repository: image.repository, reference: image"},
		{"a path that ends in a dot", "image.repository", "image."},
		{"a value without a reason", "release: example", "release: example\nvalues: [{path: a, value: 1}]"},
		{"a definition without a group", "release: example", "release: example\ncrds: [{from: crds, names: [widgets]}]"},
		{"a definition from nowhere", "release: example", "release: example\ncrds: [{from: manifests, names: [widgets.example.com]}]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(wellFormed, test.old, test.new, 1)
			if text == wellFormed {
				t.Fatalf("%q is not in the entry", test.old)
			}
			if err := validate(schema, []byte(text)); err == nil {
				t.Error("the schema lets it pass")
			}
		})
	}
}
