// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// found is what the system says about a process id.
type found struct {
	started string
	exe     string
}

// runs says whether the process runs the program at path; the kernel marks the
// file of a replaced program as deleted, and has none for one that is ending.
func (f found) runs(path string) bool {
	return f.exe == "" || strings.TrimSuffix(f.exe, " (deleted)") == path
}

// inspect reads /proc. A zombie counts as gone: nothing of it runs.
func inspect(pid int) (found, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return found{}, fmt.Errorf("cannot inspect process %d: %w", pid, err)
	}
	state, started, err := parseStat(string(stat))
	if err != nil {
		return found{}, fmt.Errorf("cannot inspect process %d: %w", pid, err)
	}
	if state == "Z" || state == "X" {
		return found{}, fmt.Errorf("process %d has ended", pid)
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if errors.Is(err, fs.ErrNotExist) {
		// Its memory is gone while its files and ports are not yet.
		return found{started: started}, nil
	}
	if err != nil {
		return found{}, fmt.Errorf("cannot inspect process %d: %w", pid, err)
	}
	return found{started: started, exe: exe}, nil
}

// parseStat takes the state (field 3) and the start time in clock ticks since
// boot (field 22) out of /proc/PID/stat, see proc(5). The command name, field
// 2, may hold blanks and brackets, so fields are counted from its last bracket.
func parseStat(stat string) (state, started string, err error) {
	_, rest, ok := cutLast(stat, ")")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", "", errors.New("unexpected form of its stat file")
	}
	return fields[0], fields[19], nil
}

func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}
