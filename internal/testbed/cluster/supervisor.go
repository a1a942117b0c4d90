// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
)

// grace is how long a process may take to end before it is killed.
const grace = 10 * time.Second

// supervisor starts and ends the processes of one testbed and writes down each
// change at once, so that down finds them even after a killed up.
type supervisor struct{ plan }

// ports are the listeners of each process.
var ports = map[string][]string{
	"etcd":                    {portEtcd, portEtcdPeer},
	"kube-apiserver":          {portAPI},
	"kube-controller-manager": {portManager},
	"kube-scheduler":          {portScheduler},
	"kwok":                    {portKwok},
	vcWebhook:                 {portWebhook},
}

// ensure makes every one of the processes run as specified.
func (s *supervisor) ensure(ctx context.Context, specs ...process.Spec) error {
	for _, spec := range specs {
		record, known := s.state.process(spec.Name)
		if known && record.Alive() && record.Path == spec.Path && slices.Equal(record.Args, spec.Args) {
			continue
		}
		if err := s.stop(ctx, spec.Name); err != nil {
			return err
		}
		if err := s.start(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

func (s *supervisor) start(ctx context.Context, spec process.Spec) error {
	for _, name := range ports[spec.Name] {
		if err := waitFree(ctx, s.state.Ports[name]); err != nil {
			return fmt.Errorf("cannot start %s: %w: end the program that holds it, or take the testbed down and up again", spec.Name, err)
		}
	}
	record, err := process.Start(spec)
	if err != nil {
		return err
	}
	s.state.setProcess(record)
	return s.save(s.state)
}

// waitFree waits for the port: the threads of a process that was just ended may
// hold it a little longer than the process itself can be seen.
func waitFree(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for {
		err := process.CheckPort(port)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop ends the named process, if it runs, and forgets it.
func (s *supervisor) stop(ctx context.Context, name string) error {
	record, known := s.state.process(name)
	if !known {
		return nil
	}
	if err := record.Stop(ctx, grace); err != nil {
		return err
	}
	s.state.dropProcess(name)
	return s.save(s.state)
}

// dead returns an error about the first process that has ended by itself, with
// the last lines of its log.
func (s *supervisor) dead() error {
	for _, record := range s.state.Processes {
		if !record.Alive() {
			return fmt.Errorf("%s has ended; the end of %s:\n%s", record.Name, record.Log, tailFile(record.Log, 8))
		}
	}
	return nil
}

// tailFile returns the last lines of a file; a missing file has none.
func tailFile(path string, lines int) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	all := bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], []byte("\n"))
}
