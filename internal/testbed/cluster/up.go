// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/component"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/node"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/progress"
)

// Options say what a testbed is to be. What is left out stays as it was, or
// takes its default in a new testbed.
type Options struct {
	// StateDir is the state folder.
	StateDir string
	// Pools are the simulated nodes.
	Pools []node.Pool
	// Port is the API server's port; 0 is any free one.
	Port int
	// Audit switches the audit log of the API server.
	Audit *bool
	// VolcanoBin is a folder with real Volcano programs.
	VolcanoBin string
	// Standin is the testbed program, which holds the stand-in for Volcano.
	Standin string
	// Builder provides the programs of the control plane.
	Builder *component.Builder
	// Progress reports the steps.
	Progress progress.Reporter
}

// DefaultPools are the nodes of a testbed that was not told any.
var DefaultPools = []node.Pool{{Accelerator: "h100", Nodes: 16}}

// Up makes the testbed in the state folder run as the options say. It starts
// what is missing or has died, restarts what is to run differently, and leaves
// the rest alone.
func Up(ctx context.Context, options Options) (*Status, error) {
	dir, err := filepath.Abs(options.StateDir)
	if err != nil {
		return nil, fmt.Errorf("cannot find the state folder: %w", err)
	}
	f := folder(dir)
	if err := f.prepare(); err != nil {
		return nil, err
	}
	lock, err := process.Lock(ctx, f.path(lockFile))
	if err != nil {
		return nil, err
	}
	defer lock.Release()

	state, err := merge(f, options)
	if err != nil {
		return nil, err
	}
	binaries, err := programs(ctx, state, options)
	if err != nil {
		return nil, err
	}
	if err := f.save(state); err != nil {
		return nil, err
	}
	p := plan{folder: f, state: state, binaries: binaries}
	if err := f.credentials(state.Ports[portAPI]); err != nil {
		return nil, err
	}
	if err := p.writeConfigs(); err != nil {
		return nil, err
	}
	if err := bringUp(ctx, p, options.Progress); err != nil {
		return nil, err
	}
	return status(ctx, f, state), nil
}

// merge brings the recorded state and the options together.
func merge(f folder, options Options) (*State, error) {
	state, err := f.load()
	if errors.Is(err, ErrNoTestbed) {
		state, err = &State{Pools: DefaultPools, Ports: map[string]int{}}, nil
	}
	if err != nil {
		return nil, err
	}
	if options.Pools != nil {
		state.Pools = options.Pools
	}
	if err := node.Validate(state.Pools); err != nil {
		return nil, err
	}
	if options.Audit != nil {
		state.Audit = *options.Audit
	}
	if options.VolcanoBin != "" {
		if state.VolcanoBin, err = filepath.Abs(options.VolcanoBin); err != nil {
			return nil, fmt.Errorf("cannot find VOLCANO_BIN: %w", err)
		}
	}
	if current := state.Ports[portAPI]; current != 0 && options.Port != 0 && current != options.Port {
		return nil, fmt.Errorf("the testbed in %s serves on port %d, not %d: take it down first, or leave --port out", f, current, options.Port)
	}
	return state, choosePorts(state, options.Port)
}

// choosePorts gives a port to every listener that has none.
func choosePorts(state *State, apiPort int) error {
	if apiPort != 0 && state.Ports[portAPI] == 0 {
		if err := process.CheckPort(apiPort); err != nil {
			return fmt.Errorf("%w: choose another with --port, or 0 for any", err)
		}
		state.Ports[portAPI] = apiPort
	}
	missing := slices.DeleteFunc(slices.Clone(listeners), func(name string) bool { return state.Ports[name] != 0 })
	free, err := process.FreePorts(len(missing))
	if err != nil {
		return err
	}
	for i, name := range missing {
		state.Ports[name] = free[i]
	}
	return nil
}

// programs gathers the path of every program, building what the cache lacks.
func programs(ctx context.Context, state *State, options Options) (map[string]string, error) {
	binaries, err := options.Builder.Ensure(ctx, component.All()...)
	if err != nil {
		return nil, err
	}
	volcano, err := volcanoPrograms(state.VolcanoBin)
	if err != nil {
		return nil, err
	}
	maps.Copy(binaries, volcano)
	binaries[standin] = options.Standin
	return binaries, nil
}
