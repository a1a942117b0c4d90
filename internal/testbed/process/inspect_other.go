// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package process

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// found is what the system says about a process id.
type found struct {
	started string
	exe     string
}

// runs says whether the process runs the program at path. Where there is no
// /proc, ps may give the name alone.
func (f found) runs(path string) bool {
	return f.exe == path || filepath.Base(f.exe) == filepath.Base(path)
}

// inspect asks ps for the start time (24 characters) and the program.
func inspect(pid int) (found, error) {
	out, err := exec.Command("ps", "-o", "stat=,lstart=,comm=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return found{}, fmt.Errorf("cannot inspect process %d: %w", pid, err)
	}
	fields := strings.Fields(string(out))
	if len(fields) < 7 || strings.HasPrefix(fields[0], "Z") {
		return found{}, fmt.Errorf("process %d has ended", pid)
	}
	return found{started: strings.Join(fields[1:6], " "), exe: strings.Join(fields[6:], " ")}, nil
}
