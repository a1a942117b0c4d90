// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
)

// StorageClass is a class of volumes. Provisioner, parameters, reclaim policy and binding mode
// cannot change while it stands.
type StorageClass struct {
	Name        string            `json:"name"`
	Provisioner string            `json:"provisioner"`
	Parameters  map[string]string `json:"parameters,omitempty"`
	// Reclaim is one of ReclaimPolicies, Binding one of BindingModes.
	Reclaim      string   `json:"reclaim"`
	Binding      string   `json:"binding"`
	MountOptions []string `json:"mount_options,omitempty"`
	// Expand lets claims grow; Default is the class of claims that name none.
	Expand  bool `json:"expand,omitempty"`
	Default bool `json:"default,omitempty"`
}

// What classes choose from; the first of each is the default.
var (
	ReclaimPolicies = []string{"Delete", "Retain"}
	BindingModes    = []string{"Immediate", "WaitForFirstConsumer"}
)

// printDigits is how much of a print goes into a name: enough to tell the few apart that one
// tier ever has.
const printDigits = 8

// Print identifies what cannot change in a class.
func (c StorageClass) Print() string {
	if len(c.Parameters) == 0 {
		c.Parameters = nil
	}
	raw, _ := json.Marshal([]any{c.Provisioner, c.Parameters, c.Reclaim, c.Binding}) // texts always go to JSON
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])[:printDigits]
}

// KeptClass is a class that an earlier run made.
type KeptClass struct {
	StorageClass
	// Purpose is what the tier has it for.
	Purpose string `json:"purpose"`
	// Old: another class has taken its place, and it stays for the volumes that it has.
	Old bool `json:"old,omitempty"`
}

// NameClasses gives the wanted classes, by purpose, the names under which they stand or will: a
// class whose name is taken by one with other parameters gets their print behind it.
func NameClasses(want map[string]StorageClass, kept []KeptClass) map[string]StorageClass {
	named := map[string]StorageClass{}
	for _, purpose := range slices.Sorted(maps.Keys(want)) {
		class := want[purpose]
		wanted, own := class.Name, class.Print()
		for _, before := range kept {
			if before.Name == wanted && before.Print() != own {
				class.Name = wanted + "-" + own
			}
		}
		for _, before := range kept {
			if before.Purpose == purpose && before.Print() == own && (before.Name == wanted || before.Name == wanted+"-"+own) {
				class.Name = before.Name
			}
		}
		named[purpose] = class
	}
	return named
}

// Readers are accelerators of one pool that read from a tier.
type Readers struct {
	Pool string
	// Each is how many GB/s (1e9 bytes) storage should read for one.
	Each  int
	Count int64
}

// NeedGBps is how many GB/s (1e9 bytes) storage should read for all of them.
func NeedGBps(all []Readers) (sum int64) {
	for _, one := range all {
		sum += int64(one.Each) * one.Count
	}
	return sum
}
