// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"strings"
	"testing"
)

func TestLinesTellWhatIsDone(t *testing.T) {
	var out strings.Builder
	bar := Lines(&out, 2)
	bar.Begin("chart queue 1.2.0")
	bar.End("there already")
	bar.Begin("image registry.example.com/queue:1.2.0")
	bar.Add(3 << 20)
	bar.End("fetched")
	bar.Close()
	want := "1/2 chart queue 1.2.0: there already\n2/2 image registry.example.com/queue:1.2.0: fetched, 3.0 MiB in 0s\n"
	if got := out.String(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestTerminalRedrawsOneLine(t *testing.T) {
	var out strings.Builder
	bar := newBar(&out, 2, true)
	bar.Begin("chart queue 1.2.0")
	bar.End("fetched")
	bar.Begin("chart quota 1.0.0")
	bar.Close()
	got := out.String()
	for _, want := range []string{"[" + strings.Repeat("░", width) + "] 0/2 chart queue 1.2.0", wipe + "1/2 chart queue 1.2.0: fetched\n", "[" + strings.Repeat("█", width/2)} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if !strings.HasSuffix(got, wipe) {
		t.Error("the bar is left on the terminal")
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 5 << 30: "5.0 GiB", 3000 << 40: "3000.0 TiB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}
