// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package progress tells a person how far a long run is: a bar that is redrawn on a
// terminal, a line for each thing done anywhere else.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// Bar counts things done, of a known number, and the bytes that went into them.
type Bar struct {
	out   io.Writer
	total int
	live  bool // redraw

	mu    sync.Mutex
	done  int
	name  string
	begin time.Time
	bytes atomic.Int64
	stop  chan struct{}
	ended chan struct{}
}

// New returns a bar for total things, in the form that suits the file.
func New(file *os.File, total int) *Bar {
	return newBar(file, total, term.IsTerminal(int(file.Fd())))
}

// Lines returns a bar that writes a line for each thing done.
func Lines(out io.Writer, total int) *Bar { return newBar(out, total, false) }

func newBar(out io.Writer, total int, live bool) *Bar {
	b := &Bar{out: out, total: total, live: live, stop: make(chan struct{}), ended: make(chan struct{})}
	if !live {
		close(b.ended)
		return b
	}
	go func() {
		defer close(b.ended)
		tick := time.NewTicker(120 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.draw()
			case <-b.stop:
				return
			}
		}
	}()
	return b
}

// Begin names what is being done now.
func (b *Bar) Begin(name string) {
	b.mu.Lock()
	b.name, b.begin = name, time.Now()
	b.bytes.Store(0)
	b.mu.Unlock()
	if b.live {
		b.draw()
	}
}

// Add counts bytes that have come or gone.
func (b *Bar) Add(bytes int64) { b.bytes.Add(bytes) }

// End says what became of what was begun last: "fetched", "there already".
func (b *Bar) End(outcome string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	text := fmt.Sprintf("%*d/%d %s: %s", len(fmt.Sprint(b.total)), b.done, b.total, b.name, outcome)
	if bytes := b.bytes.Load(); bytes > 0 {
		text += fmt.Sprintf(", %s in %s", Size(bytes), time.Since(b.begin).Round(100*time.Millisecond))
	}
	if b.live {
		text = wipe + text
	}
	_, _ = fmt.Fprintln(b.out, text) // whoever reads it may be gone
}

// Close ends the redrawing.
func (b *Bar) Close() {
	if b.live {
		close(b.stop)
		<-b.ended
		_, _ = io.WriteString(b.out, wipe)
	}
}

const (
	wipe  = "\r\x1b[K"
	width = 24
)

func (b *Bar) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.name == "" {
		return
	}
	full := 0
	if b.total > 0 {
		full = width * b.done / b.total
	}
	_, _ = fmt.Fprintf(b.out, "%s[%s%s] %d/%d %s  %s", wipe, strings.Repeat("█", full), strings.Repeat("░", width-full),
		b.done, b.total, b.name, Size(b.bytes.Load()))
}

// Size writes bytes as people read them: "1.5 GiB".
func Size(bytes int64) string {
	const step = 1024
	if bytes < step {
		return fmt.Sprintf("%d B", bytes)
	}
	size, unit := float64(bytes)/step, 0
	for size >= step && unit < len(units)-1 {
		size, unit = size/step, unit+1
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}

var units = []string{"KiB", "MiB", "GiB", "TiB"}
