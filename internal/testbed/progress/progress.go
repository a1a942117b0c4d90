// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package progress tells a person what takes long: a line that ticks on a
// terminal, plain log lines anywhere else.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Reporter reports steps.
type Reporter interface {
	// Step begins a step; the function it returns ends it.
	Step(name string) (done func(error))
}

// New returns the reporter that suits the file.
func New(file *os.File) Reporter {
	if term.IsTerminal(int(file.Fd())) {
		return &terminal{out: file}
	}
	return &lines{out: file}
}

// Silent reports nothing.
func Silent() Reporter { return &lines{out: io.Discard} }

// lines reports each step with a line when it begins, if it may take long, and
// one when it ends.
type lines struct{ out io.Writer }

func (l *lines) Step(name string) func(error) {
	begin := time.Now()
	l.printf("%s ...\n", name)
	return func(err error) {
		l.printf("%s: %s (%s)\n", name, outcome(err), elapsed(begin))
	}
}

func (l *lines) printf(format string, args ...any) { _, _ = fmt.Fprintf(l.out, format, args...) }

// terminal redraws one line with the time that has passed.
type terminal struct{ out io.Writer }

var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

func (t *terminal) Step(name string) func(error) {
	begin := time.Now()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(120 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			t.printf("\r\x1b[K%s %s  %s", frames[i%len(frames)], name, elapsed(begin))
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func(err error) {
		close(stop)
		<-stopped
		mark := "✓"
		if err != nil {
			mark = "✗"
		}
		t.printf("\r\x1b[K%s %s  %s\n", mark, name, elapsed(begin))
	}
}

func (t *terminal) printf(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }

func outcome(err error) string {
	if err != nil {
		return "failed"
	}
	return "done"
}

func elapsed(begin time.Time) string {
	passed := time.Since(begin)
	if passed < time.Minute {
		return fmt.Sprintf("%.1fs", passed.Seconds())
	}
	return passed.Round(time.Second).String()
}
