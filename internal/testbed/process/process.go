// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package process starts programs that outlive the testbed command, and knows
// them again later: by process id together with what cannot be reused with it,
// the start time and the program file.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Spec is a program to start.
type Spec struct {
	// Name identifies the process within a testbed.
	Name string `json:"name"`
	// Path is the program file.
	Path string   `json:"path"`
	Args []string `json:"args"`
	// Log is the file that takes standard output and standard error.
	Log string `json:"log"`
}

// Record is a process that was started.
type Record struct {
	Spec
	PID int `json:"pid"`
	// Started is the operating system's own start time of the process, in its
	// own unit; it is only ever compared.
	Started string `json:"started"`
	// Exe is the program file as the system names it: Path, or the interpreter
	// of a script.
	Exe string `json:"exe"`
}

// Start starts the program in a session of its own, so that neither a closed
// terminal nor Ctrl-C reaches it.
func Start(spec Spec) (Record, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return Record{}, fmt.Errorf("cannot open the log of %s: %w", spec.Name, err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return Record{}, fmt.Errorf("cannot start %s: %w", spec.Name, err)
	}
	// Reap it should it end while this command still runs.
	go func() { _ = cmd.Wait() }()
	record := Record{Spec: spec, PID: cmd.Process.Pid}
	if found, err := inspect(record.PID); err == nil {
		record.Started, record.Exe = found.started, found.exe
	}
	return record, nil
}

// Alive says whether the process still runs and is the one that was started.
func (r Record) Alive() bool {
	if r.PID <= 0 || r.Started == "" {
		return false
	}
	found, err := inspect(r.PID)
	return err == nil && found.started == r.Started && found.runs(r.Exe)
}

// Stop ends the process: SIGTERM first, SIGKILL when grace has passed. It does
// nothing to a process that is not the one that was started.
func (r Record) Stop(ctx context.Context, grace time.Duration) error {
	// The handle is taken before the check: where the system has process
	// handles, a process id reused in between cannot be hit.
	handle, err := os.FindProcess(r.PID)
	if err != nil || !r.Alive() {
		return nil
	}
	defer func() { _ = handle.Release() }()
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("cannot end %s (process %d): %w", r.Name, r.PID, err)
		}
		ended, err := r.waitEnd(ctx, grace)
		if ended || err != nil {
			return err
		}
	}
	return fmt.Errorf("cannot end %s: process %d is still there after SIGKILL", r.Name, r.PID)
}

func (r Record) waitEnd(ctx context.Context, grace time.Duration) (bool, error) {
	deadline := time.Now().Add(grace)
	for r.Alive() {
		if time.Now().After(deadline) {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("cannot wait for the end of %s (process %d): %w", r.Name, r.PID, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true, nil
}
