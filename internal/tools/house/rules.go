// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

const header = "// Copyright The Trainyard Authors\n// SPDX-License-Identifier: Apache-2.0\n"

// maxLines is the length past which a file is asking to be split.
const maxLines = 350

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	// Paths of one person's machine. Those under /etc, /var and /usr belong to systems, and
	// "you" is nobody.
	machinePath = regexp.MustCompile(`(^|[\s"'=:(\x60])/(root|work|home/[a-z]\w*|Users/\w+)/`)
	// Marks in comments only: package context has a function of that name.
	unfinished = regexp.MustCompile(`(//|#|/\*|<!--).*\b([T]ODO|[F]IXME|[X]XX)\b`)
)

// checkFile returns the faults of one file, each as "name:line: what is wrong".
func checkFile(name, text string) []string {
	if strings.ContainsRune(text, 0) || path.Base(name) == "go.sum" {
		return nil // binary, or not ours to write
	}
	var faults []string
	if path.Ext(name) == ".go" && !generated.MatchString(text) {
		faults = append(faults, checkGo(name, text)...)
	}
	line := 0
	for content := range strings.SplitSeq(text, "\n") {
		line++
		if machinePath.MatchString(strings.ReplaceAll(content, "/home/you/", "~/")) {
			faults = append(faults, fmt.Sprintf("%s:%d: a path of one machine", name, line))
		}
		if isSource(name) && unfinished.MatchString(content) {
			faults = append(faults, fmt.Sprintf("%s:%d: unfinished; do it, or file it as an issue", name, line))
		}
	}
	return faults
}

func checkGo(name, text string) []string {
	var faults []string
	if !strings.HasPrefix(text, header) {
		faults = append(faults, name+":1: the copyright and SPDX lines are missing")
	}
	lines := strings.Count(text, "\n")
	if lines > maxLines && !strings.HasSuffix(name, "_test.go") {
		faults = append(faults, fmt.Sprintf("%s:%d: longer than %d lines; split it", name, lines, maxLines))
	}
	return faults
}

func isSource(name string) bool {
	switch path.Ext(name) {
	case ".go", ".sh", ".tf", ".tmpl", ".yml", ".yaml", ".md":
		return true
	}
	return path.Base(name) == "GNUmakefile"
}
