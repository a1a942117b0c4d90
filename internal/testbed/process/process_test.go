// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
)

// start runs a shell script until the test ends.
func start(t *testing.T, script string) process.Record {
	t.Helper()
	record, err := process.Start(process.Spec{
		Name: "script", Path: "/bin/sh", Args: []string{"-c", script}, Log: filepath.Join(t.TempDir(), "log"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = record.Stop(context.Background(), time.Second) })
	if !record.Alive() {
		t.Fatal("the process is not alive right after its start")
	}
	return record
}

func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestStopEndsTheProcess(t *testing.T) {
	record := start(t, "while :; do sleep 0.1; done")
	if err := record.Stop(context.Background(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if record.Alive() {
		t.Error("the process is alive after Stop")
	}
	if err := record.Stop(context.Background(), time.Second); err != nil {
		t.Errorf("a second Stop failed: %v", err)
	}
}

func TestStopKillsWhatIgnoresTheSignal(t *testing.T) {
	record := start(t, "trap '' TERM; echo set; while :; do sleep 0.1; done")
	waitFor(t, "the trap", func() bool {
		data, _ := os.ReadFile(record.Log)
		return strings.Contains(string(data), "set")
	})
	if err := record.Stop(context.Background(), 200*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if record.Alive() {
		t.Error("the process is alive after Stop")
	}
}

func TestAnotherProcessUnderTheSameIDIsLeftAlone(t *testing.T) {
	record := start(t, "while :; do sleep 0.1; done")
	tests := map[string]func(*process.Record){
		"started at another time": func(r *process.Record) { r.Started = "1" },
		"another program":         func(r *process.Record) { r.Exe = "/usr/bin/etcd" },
		"start time unknown":      func(r *process.Record) { r.Started = "" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			other := record
			change(&other)
			if other.Alive() {
				t.Error("the record passes for the running process")
			}
			if err := other.Stop(context.Background(), time.Second); err != nil {
				t.Errorf("Stop failed: %v", err)
			}
			if !record.Alive() {
				t.Fatal("Stop ended a process that it did not start")
			}
		})
	}
}

func TestADeadProcessIsNoticed(t *testing.T) {
	record := start(t, "sleep 0.3; echo bye")
	waitFor(t, "the end of the process", func() bool { return !record.Alive() })
	data, err := os.ReadFile(record.Log)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != "bye\n" {
		t.Errorf("the log holds %q", data)
	}
}

func TestStartNamesAMissingProgram(t *testing.T) {
	_, err := process.Start(process.Spec{Name: "etcd", Path: "/nowhere/etcd", Log: filepath.Join(t.TempDir(), "log")})
	if err == nil || !strings.Contains(err.Error(), "cannot start etcd") {
		t.Errorf("got error %v", err)
	}
}

func TestLockExcludesASecondHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := process.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := process.Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second Lock gave %v, want a deadline", err)
	}
	first.Release()
	second, err := process.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

func TestFreePortsDiffer(t *testing.T) {
	ports, err := process.FreePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range ports {
		if seen[port] {
			t.Errorf("port %d was given twice", port)
		}
		seen[port] = true
		if err := process.CheckPort(port); err != nil {
			t.Error(err)
		}
	}
}
