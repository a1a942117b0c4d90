// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestBadInputIsRefusedBeforeAnythingStarts(t *testing.T) {
	tests := map[string]struct {
		arguments []string
		want      string
	}{
		"unknown accelerator":      {[]string{"up", "--gpu", "k80"}, `unknown accelerator "k80"`},
		"negative nodes":           {[]string{"up", "--nodes", "-1"}, "give 0 or more"},
		"pool without a number":    {[]string{"up", "--pool", "h100"}, "accelerator=nodes"},
		"one pool twice":           {[]string{"up", "--pool", "h100=1", "--pool", "h100=2"}, "given twice"},
		"pool together with gpu":   {[]string{"up", "--pool", "h100=1", "--gpu", "a100"}, "[gpu pool]"},
		"unknown form of output":   {[]string{"up", "-o", "xml"}, "use text or json"},
		"keep together with purge": {[]string{"down", "--keep", "--purge"}, "[keep purge]"},
		"a stray argument":         {[]string{"up", "now"}, "unknown command"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			command := newCommand()
			command.SetArgs(append(test.arguments, "--state-dir", dir))
			command.SetOut(&bytes.Buffer{})
			err := command.Execute()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}
