// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// Model is one model of accelerator. What the lists and maps of one hold must not be changed.
type Model struct {
	Name     string `json:"name"`  // short, a DNS label: h100
	Title    string `json:"title"` // for people
	Vendor   string `json:"vendor"`
	Resource string `json:"resource"` // extended resource under which a device plugin offers it
	// Products are the values of the product label that name it; a "*" stands for any text.
	Products    []string `json:"products"`
	Generation  string   `json:"generation"`
	TensorCores int      `json:"tensor_cores,omitempty"` // generation of NVIDIA's tensor cores; 0 is none
	MemoryGB    int      `json:"memory_gb"`              // of one, 1e9 bytes
	MemoryGBps  int      `json:"memory_gbps"`            // bandwidth of that memory
	Link        string   `json:"link"`                   // how those of one node are linked
	LinkGBps    int      `json:"link_gbps"`              // to all peers together, both directions
	// StorageGBps is how fast storage should read for one, by rule of thumb; 0 is no rule.
	StorageGBps int `json:"storage_gbps,omitempty"`
	// MIG has the partitions that it can be cut into, and how many of one kind fit.
	MIG map[string]int `json:"mig,omitempty"`
}

//go:embed models.yaml
var modelsYAML []byte

var models = sync.OnceValue(func() []Model {
	var all []Model
	if err := yaml.UnmarshalStrict(modelsYAML, &all); err != nil {
		panic(fmt.Sprintf("the catalogue's accelerators cannot be read: %v", err)) // part of the program, and tested with it
	}
	return all
})

// Models are all models of accelerators.
func Models() []Model { return slices.Clone(models()) }

// ModelNames are the names of all models, in the order of the catalogue.
func ModelNames() []string {
	var names []string
	for _, model := range models() {
		names = append(names, model.Name)
	}
	return names
}

// ModelNamed is the model of that name, and whether there is one.
func ModelNamed(name string) (Model, bool) {
	return find(func(m Model) bool { return m.Name == name })
}

// ModelOf is the model that a node's product label names, and whether it is a known one.
func ModelOf(product string) (Model, bool) {
	return find(func(m Model) bool {
		return slices.ContainsFunc(m.Products, func(pattern string) bool { return fits(pattern, product) })
	})
}

func find(is func(Model) bool) (Model, bool) {
	at := slices.IndexFunc(models(), is)
	if at < 0 {
		return Model{}, false
	}
	return models()[at], true
}

// Profiles are the MIG partitions of a model, smallest first.
func (m Model) Profiles() []string {
	var names []string
	for name := range m.MIG {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if byCount := m.MIG[b] - m.MIG[a]; byCount != 0 {
			return byCount
		}
		return strings.Compare(a, b)
	})
	return names
}

// fits says whether a text is what a pattern describes.
func fits(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}
