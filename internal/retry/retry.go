// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package retry repeats an operation while its failure may pass, and when time is up
// names the last cause instead of a bare "deadline exceeded".
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Verdict says what a failure means for the next attempt.
type Verdict struct {
	// Again: the failure may pass.
	Again bool
	// After is how long the server asked us to wait; zero leaves it to the backoff.
	After time.Duration
}

// Final is the verdict on a failure that will not pass.
var Final = Verdict{}

// The backoff doubles from shortest to longest, with up to a quarter of jitter.
const (
	shortest = 100 * time.Millisecond
	longest  = 5 * time.Second
)

// Do calls attempt until it succeeds, fails for good, or ctx ends. The name says what is
// being done ("list queues") and stands in the error.
func Do(ctx context.Context, name string, judge func(error) Verdict, attempt func(context.Context) error) error {
	start := time.Now()
	var before error
	for tries, wait := 1, shortest; ; tries, wait = tries+1, min(2*wait, longest) {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if before != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = before // says more than that time ran out during the last attempt
		}
		before = err
		verdict := judge(err)
		if ctx.Err() == nil && !verdict.Again {
			return fmt.Errorf("%s: %w", name, err)
		}
		pause := max(verdict.After, wait+rand.N(wait/4))
		if deadline, ok := ctx.Deadline(); ctx.Err() != nil || (ok && time.Until(deadline) < pause) {
			return &Exhausted{Name: name, Tries: tries, Spent: time.Since(start), Last: err, Ended: context.Cause(ctx)}
		}
		select {
		case <-ctx.Done():
			return &Exhausted{Name: name, Tries: tries, Spent: time.Since(start), Last: err, Ended: context.Cause(ctx)}
		case <-time.After(pause):
		}
	}
}

// Exhausted is returned when time is up; it unwraps to the last cause.
type Exhausted struct {
	Name  string
	Tries int
	Spent time.Duration
	Last  error
	// Ended is why the context ended; nil where the next attempt would have come too late.
	Ended error
}

func (e *Exhausted) Error() string {
	reason := "the time limit is reached"
	if errors.Is(e.Ended, context.Canceled) {
		reason = "interrupted"
	}
	times := "1 attempt"
	if e.Tries > 1 {
		times = fmt.Sprintf("%d attempts", e.Tries)
	}
	return fmt.Sprintf("%s: %s after %s and %s; last cause: %v", e.Name, reason, e.Spent.Round(100*time.Millisecond), times, e.Last)
}

func (e *Exhausted) Unwrap() error { return e.Last }
