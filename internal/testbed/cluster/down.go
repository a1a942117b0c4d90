// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
)

// last are the processes that the others need while they end; they end after
// them, in this order.
var last = []string{"kube-apiserver", "etcd"}

// Down ends every process that the testbed in the state folder started. With
// keep it leaves the state, and Up goes on from there; else it removes it.
// It returns ErrNoTestbed where there is none.
func Down(ctx context.Context, stateDir string, keep bool) error {
	dir, err := filepath.Abs(stateDir)
	if err != nil {
		return fmt.Errorf("cannot find the state folder: %w", err)
	}
	f := folder(dir)
	if _, err := os.Stat(f.path(stateFile)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s", ErrNoTestbed, f)
	}
	lock, err := process.Lock(ctx, f.path(lockFile))
	if err != nil {
		return err
	}
	defer lock.Release()
	state, err := f.load()
	if err != nil {
		return err
	}
	if err := stopAll(ctx, state); err != nil {
		return err
	}
	state.Processes = nil
	if keep {
		return f.save(state)
	}
	return f.purge()
}

func stopAll(ctx context.Context, state *State) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for _, record := range state.Processes {
		if !slices.Contains(last, record.Name) {
			group.Go(func() error { return record.Stop(groupCtx, grace) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, name := range last {
		if record, ok := state.process(name); ok {
			if err := record.Stop(ctx, grace); err != nil {
				return err
			}
		}
	}
	return nil
}
