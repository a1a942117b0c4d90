// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/component"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/node"
)

// Status is what a testbed is at this moment.
type Status struct {
	StateDir   string `json:"state_dir"`
	Kubeconfig string `json:"kubeconfig"`
	Server     string `json:"server"`
	// Kubernetes is the version of the control plane.
	Kubernetes string `json:"kubernetes_version"`
	// Volcano is "stand-in", or "real" where the real controllers run.
	Volcano string `json:"volcano"`
	// Ready says whether the API server answered that it is ready.
	Ready     bool            `json:"ready"`
	Pools     []node.Pool     `json:"pools"`
	Ports     map[string]int  `json:"ports"`
	Processes []ProcessStatus `json:"processes"`
}

// ProcessStatus is one process of a testbed.
type ProcessStatus struct {
	Name    string `json:"name"`
	PID     int    `json:"pid"`
	Running bool   `json:"running"`
	Log     string `json:"log"`
}

// readyTimeout bounds the question whether the API server is ready.
const readyTimeout = 3 * time.Second

// Inspect returns the status of the testbed in the state folder; it returns
// ErrNoTestbed where there is none.
func Inspect(ctx context.Context, stateDir string) (*Status, error) {
	dir, err := filepath.Abs(stateDir)
	if err != nil {
		return nil, fmt.Errorf("cannot find the state folder: %w", err)
	}
	f := folder(dir)
	state, err := f.load()
	if err != nil {
		return nil, err
	}
	return status(ctx, f, state), nil
}

func status(ctx context.Context, f folder, state *State) *Status {
	s := &Status{
		StateDir:   string(f),
		Kubeconfig: f.kubeconfig("admin"),
		Server:     "https://" + loopback(state.Ports[portAPI]),
		Volcano:    "stand-in",
		Pools:      state.Pools,
		Ports:      state.Ports,
		Processes:  []ProcessStatus{},
	}
	s.Kubernetes, _ = component.APIServer.Version()
	for _, record := range state.Processes {
		s.Processes = append(s.Processes, ProcessStatus{record.Name, record.PID, record.Alive(), record.Log})
		if record.Name == vcController {
			s.Volcano = "real"
		}
	}
	if clients, err := newClients(s.Kubeconfig); err == nil {
		ctx, cancel := context.WithTimeout(ctx, readyTimeout)
		defer cancel()
		s.Ready = clients.ready(ctx) == nil
	}
	return s
}

// Dead returns the processes that have ended by themselves.
func (s *Status) Dead() []ProcessStatus {
	var dead []ProcessStatus
	for _, process := range s.Processes {
		if !process.Running {
			dead = append(dead, process)
		}
	}
	return dead
}
