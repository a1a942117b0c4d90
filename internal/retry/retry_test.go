// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errBusy = errors.New("etcd has no leader")

func again(error) Verdict { return Verdict{Again: true} }

func final(error) Verdict { return Final }

func failing(context.Context) error { return errBusy }

func TestDoEndsWithTheFirstSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		err := Do(t.Context(), "list queues", again, func(context.Context) error {
			if tries++; tries < 4 {
				return errBusy
			}
			return nil
		})
		if err != nil || tries != 4 {
			t.Errorf("err = %v after %d tries", err, tries)
		}
	})
}

func TestDoReturnsAFinalFailureAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := Do(t.Context(), "list queues", final, failing)
		if !errors.Is(err, errBusy) || err.Error() != "list queues: etcd has no leader" {
			t.Errorf("err = %v", err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %s", waited)
		}
	})
}

func TestDoNamesTheLastCauseAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		tries := 0
		err := Do(ctx, "list queues", again, func(context.Context) error {
			tries++
			return fmt.Errorf("cause %d", tries)
		})
		var exhausted *Exhausted
		if !errors.As(err, &exhausted) {
			t.Fatalf("err = %v", err)
		}
		if exhausted.Tries != tries || exhausted.Last.Error() != fmt.Sprintf("cause %d", tries) {
			t.Errorf("after %d tries: %+v", tries, exhausted)
		}
		for _, part := range []string{"list queues: the time limit is reached", fmt.Sprintf("%d attempts", tries), fmt.Sprintf("last cause: cause %d", tries)} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q lacks %q", err, part)
			}
		}
		// Six doublings, then one try in five to six seconds.
		if tries < 8 || tries > 25 {
			t.Errorf("%d tries in a minute", tries)
		}
	})
}

func TestDoDoesNotWaitPastTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		err := Do(ctx, "list queues", func(error) Verdict { return Verdict{Again: true, After: 30 * time.Second} }, failing)
		if !errors.Is(err, errBusy) || time.Since(start) != 0 {
			t.Errorf("err = %v after %s; the server asked for longer than there is", err, time.Since(start))
		}
		if !strings.Contains(err.Error(), "1 attempt;") {
			t.Errorf("err = %v", err)
		}
	})
}

func TestDoWaitsAsLongAsTheServerAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, tries := time.Now(), 0
		err := Do(t.Context(), "list queues", func(error) Verdict { return Verdict{Again: true, After: 7 * time.Second} }, func(context.Context) error {
			if tries++; tries < 3 {
				return errBusy
			}
			return nil
		})
		if waited := time.Since(start); err != nil || waited != 14*time.Second {
			t.Errorf("err = %v after %s, want two waits of 7s", err, waited)
		}
	})
}

func TestDoStopsWhenInterrupted(t *testing.T) {
	for name, judge := range map[string]func(error) Verdict{"a passing failure": again, "a final failure": final} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				start := time.Now()
				time.AfterFunc(3*time.Second, cancel)
				err := Do(ctx, "list queues", judge, func(ctx context.Context) error {
					<-ctx.Done() // a request that is cut off
					return errBusy
				})
				if waited := time.Since(start); waited != 3*time.Second {
					t.Errorf("stopped after %s", waited)
				}
				if !errors.Is(err, errBusy) || !strings.Contains(err.Error(), "list queues: interrupted after 3s") {
					t.Errorf("err = %v", err)
				}
			})
		})
	}
}

func TestDoStopsWhenInterruptedWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		time.AfterFunc(3*time.Second, cancel)
		err := Do(ctx, "list queues", func(error) Verdict { return Verdict{Again: true, After: time.Hour} }, failing)
		if waited := time.Since(start); waited != 3*time.Second || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("err = %v after %s", err, waited)
		}
	})
}

func TestDoNamesTheFailureBeforeTheOneThatTimeEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		tries := 0
		err := Do(ctx, "list queues", again, func(ctx context.Context) error {
			if tries++; tries == 1 {
				return errBusy
			}
			<-ctx.Done()
			return fmt.Errorf("send the request: %w", ctx.Err())
		})
		if !errors.Is(err, errBusy) || !strings.HasSuffix(err.Error(), "last cause: etcd has no leader") {
			t.Errorf("err = %v", err)
		}
	})
}
