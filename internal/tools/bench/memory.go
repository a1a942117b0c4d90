// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watchPeak follows the memory of the providers that the process parent starts. The
// function that it returns ends the watch and gives the highest peak of one provider in
// MiB; 0 where there is no /proc.
func watchPeak(parent int) func() int {
	done, result := make(chan struct{}), make(chan int, 1)
	go func() {
		peakKiB := 0
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				result <- (peakKiB + 1023) / 1024
				return
			case <-ticker.C:
				for _, pid := range children(parent) {
					peakKiB = max(peakKiB, peakOf(pid))
				}
			}
		}
	}()
	return func() int {
		close(done)
		return <-result
	}
}

// children returns the processes that the threads of parent have started.
func children(parent int) []string {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)) // a fixed pattern cannot be malformed
	var pids []string
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		pids = append(pids, strings.Fields(string(text))...)
	}
	return pids
}

// peakOf returns the peak resident memory of a process in KiB, 0 once it has ended. The
// kernel keeps the peak, so that a reading shortly before the end is enough.
func peakOf(pid string) int {
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		return 0
	}
	return parsePeak(string(status))
}

func parsePeak(status string) int {
	if !strings.HasPrefix(status, "Name:\tterraform-provi") { // the kernel keeps 15 characters
		return 0
	}
	for line := range strings.SplitSeq(status, "\n") {
		if text, found := strings.CutPrefix(line, "VmHWM:"); found {
			peak, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), " kB"))
			if err != nil {
				return 0
			}
			return peak
		}
	}
	return 0
}
