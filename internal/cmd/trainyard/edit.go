// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
)

// edit brings an entry's file from one state of the entry to another. Only what a refresh
// changes is touched, so that the order and the comments stay.
func edit(text []byte, before, after catalog.Chart) []byte {
	lines := strings.Split(string(text), "\n")
	lines = editSource(lines, before.Source, after.Source)
	text = []byte(strings.Join(lines, "\n"))
	for i, image := range before.Images {
		// A reference is replaced where it ends, lest it be the beginning of another one.
		for _, end := range []string{"\n", "\"", "'", ",", "}", " "} {
			text = bytes.ReplaceAll(text, []byte(image.Default+end), []byte(after.Images[i].Default+end))
		}
	}
	return text
}

// editSource sets version and digest in the block "source:", which stands at the left edge.
func editSource(lines []string, before, after catalog.Source) []string {
	var edited []string
	within := false
	for _, line := range lines {
		if line != "" && line[0] != ' ' && line[0] != '#' {
			within = line == "source:"
		}
		key, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case !within:
		case key == "version":
			line = strings.Replace(line, before.Version, after.Version, 1)
			if before.Digest == "" && after.Digest != "" {
				line += "\n  digest: " + after.Digest
			}
		case key == "digest" && after.Digest != "":
			line = strings.Replace(line, before.Digest, after.Digest, 1)
		case key == "digest":
			line = "  unpinned: " + after.Unpinned
		case key == "unpinned" && after.Unpinned == "":
			continue
		}
		edited = append(edited, line)
	}
	return edited
}
