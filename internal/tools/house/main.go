// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Command house checks the rules of this repository that no linter has: license headers,
// the length of a file, machine paths and work left undone. It prints one line a fault and
// exits with 1 if there is any.
//
//	house DIR
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	faults, err := check(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	for _, fault := range faults {
		fmt.Println(fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// check applies every rule to every file that git tracks or would track below root.
func check(root string) ([]string, error) {
	list := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("unable to list the files of %s: %w", root, err)
	}
	var faults []string
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return nil, err
		}
		faults = append(faults, checkFile(name, string(text))...)
	}
	return faults, nil
}
