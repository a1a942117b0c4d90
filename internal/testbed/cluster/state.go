// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package cluster brings a testbed up, looks at it and takes it down. All that
// it knows between two commands is in one state folder.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/node"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
)

// The names in a state folder. Down removes these and nothing else.
const (
	stateFile      = "testbed.json"
	kubeconfigFile = "kubeconfig"
	lockFile       = "lock"
	pkiDir         = "pki"
	logDir         = "logs"
	etcdDir        = "etcd"
	configDir      = "config"
)

// State is what a testbed was asked to be and what of it was started.
type State struct {
	Pools []node.Pool `json:"pools"`
	// Audit says whether the API server writes an audit log.
	Audit bool `json:"audit"`
	// VolcanoBin is the folder of the real Volcano programs; empty means that
	// the stand-in runs.
	VolcanoBin string `json:"volcano_bin,omitempty"`
	// Ports holds each listener's port by its name.
	Ports map[string]int `json:"ports"`
	// Processes are those that were started, in order.
	Processes []process.Record `json:"processes"`
}

// ErrNoTestbed says that the state folder holds no testbed.
var ErrNoTestbed = errors.New("no testbed")

// folder is a state folder.
type folder string

func (f folder) path(elements ...string) string {
	return filepath.Join(append([]string{string(f)}, elements...)...)
}

// load reads the state; it returns ErrNoTestbed where there is none.
func (f folder) load() (*State, error) {
	data, err := os.ReadFile(f.path(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s: bring one up with testbed up", ErrNoTestbed, f)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the testbed's state: %w", err)
	}
	var state State
	if err := json.Unmarshal(data, &state); err != nil {
		return nil, fmt.Errorf("cannot read the testbed's state in %s: %w", f.path(stateFile), err)
	}
	return &state, nil
}

// save writes the state through a rename, so that a killed command leaves the
// old or the new one.
func (f folder) save(state *State) error {
	data, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot encode the testbed's state: %w", err)
	}
	temporary := f.path(stateFile + ".new")
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return fmt.Errorf("cannot write the testbed's state: %w", err)
	}
	if err := os.Rename(temporary, f.path(stateFile)); err != nil {
		return fmt.Errorf("cannot write the testbed's state: %w", err)
	}
	return nil
}

// prepare makes the folder, and refuses one that holds other things.
func (f folder) prepare() error {
	entries, err := os.ReadDir(string(f))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read the state folder: %w", err)
	}
	if _, err := os.Stat(f.path(stateFile)); err != nil {
		for _, entry := range entries {
			if !known(entry.Name()) {
				return fmt.Errorf("cannot use %s as the state folder: it holds %s, which is not a testbed's; name an empty folder", f, entry.Name())
			}
		}
	}
	for _, dir := range []string{pkiDir, logDir, etcdDir, configDir} {
		if err := os.MkdirAll(f.path(dir), 0o700); err != nil {
			return fmt.Errorf("cannot make the state folder: %w", err)
		}
	}
	return nil
}

// purge removes what a testbed put into the folder, and the folder if nothing
// else is in it.
func (f folder) purge() error {
	for _, name := range contents {
		if err := os.RemoveAll(f.path(name)); err != nil {
			return fmt.Errorf("cannot remove the testbed's state: %w", err)
		}
	}
	_ = os.Remove(string(f)) // stays if it holds anything else
	return nil
}

var contents = []string{pkiDir, logDir, etcdDir, configDir, kubeconfigFile, stateFile, stateFile + ".new", lockFile}

func known(name string) bool {
	for _, content := range contents {
		if name == content {
			return true
		}
	}
	return false
}

// process returns the record of the named process.
func (s *State) process(name string) (process.Record, bool) {
	for _, record := range s.Processes {
		if record.Name == name {
			return record, true
		}
	}
	return process.Record{}, false
}

// setProcess replaces or adds a record.
func (s *State) setProcess(record process.Record) {
	for i := range s.Processes {
		if s.Processes[i].Name == record.Name {
			s.Processes[i] = record
			return
		}
	}
	s.Processes = append(s.Processes, record)
}

// dropProcess forgets a process.
func (s *State) dropProcess(name string) {
	kept := s.Processes[:0]
	for _, record := range s.Processes {
		if record.Name != name {
			kept = append(kept, record)
		}
	}
	s.Processes = kept
}
