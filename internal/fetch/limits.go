// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package fetch gets files over HTTP for those who know what the files mean: it bounds every
// attempt, repeats what may pass, never speaks plain http with another machine, and keeps
// secrets out of errors.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
	"time"

	"golang.org/x/net/http2"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// Limits bound what a server can make us wait.
type Limits struct {
	// Tries is how often one thing is asked for: a server that is down stays down.
	Tries int
	// Silence ends an attempt in which nothing comes for so long.
	Silence time.Duration
	// Attempt ends one attempt, however steadily it trickles.
	Attempt time.Duration
	// Patience is the longest Retry-After that is followed.
	Patience time.Duration
}

// Small are the limits for what is small: charts, indexes, manifests.
var Small = Limits{Tries: 8, Silence: 20 * time.Second, Attempt: 5 * time.Minute, Patience: time.Minute}

// Large are the limits for the layers of images, which have many GiB.
var Large = Limits{Tries: 8, Silence: time.Minute, Attempt: 3 * time.Hour, Patience: 5 * time.Minute}

// Repeat does one thing until it succeeds, fails for good, has been tried often enough, or
// ctx ends. The name says what is
// being done. The attempt calls alive whenever something has come.
func (l Limits) Repeat(ctx context.Context, name string, attempt func(ctx context.Context, alive func()) error) error {
	tries := 0
	judge := func(err error) retry.Verdict {
		tries++
		verdict := judge(err)
		if tries >= l.Tries || verdict.After > l.Patience {
			return retry.Final
		}
		return verdict
	}
	err := retry.Do(ctx, name, judge, func(ctx context.Context) error {
		return clean(l.once(ctx, attempt))
	})
	var exhausted *retry.Exhausted
	if err != nil && tries > 1 && !errors.As(err, &exhausted) {
		return fmt.Errorf("%w (after %d attempts)", err, tries)
	}
	return err
}

// slowError ends an attempt that takes too long.
type slowError struct{ what string }

func (e *slowError) Error() string { return e.what }

func (l Limits) once(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	ctx, stop := context.WithTimeoutCause(ctx, l.Attempt, &slowError{fmt.Sprintf("not done within %s", l.Attempt)})
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := &slowError{fmt.Sprintf("nothing came for %s", l.Silence)}
	timer := time.AfterFunc(l.Silence, func() { cancel(silent) })
	defer timer.Stop()
	err := attempt(ctx, func() { timer.Reset(l.Silence) })
	var slow *slowError
	if err != nil && errors.As(context.Cause(ctx), &slow) {
		return slow
	}
	return err
}

// Ticking is a reader that calls Alive with every read in which something came.
type Ticking struct {
	io.Reader
	Alive func()
}

// Read implements io.Reader.
func (t Ticking) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if n > 0 {
		t.Alive()
	}
	return n, err
}

// judge says which failures may pass: overload, what is slow, and broken connections. A host
// name that does not exist will not exist a second later.
func judge(err error) retry.Verdict {
	var (
		busy    *busyError
		slow    *slowError
		unknown *net.DNSError
		timeout net.Error
		stream  http2.StreamError
	)
	switch {
	case errors.As(err, &busy):
		return retry.Verdict{Again: true, After: busy.after}
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return retry.Final
	case errors.As(err, &slow), errors.As(err, &stream), errors.As(err, &timeout) && timeout.Timeout(),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EPIPE):
		return retry.Verdict{Again: true}
	}
	return retry.Final
}

// clean takes the URL out of an error of net/http: behind a redirect it may be signed, and a
// signature is a secret. The host says enough.
func clean(err error) error {
	var request *url.Error
	if !errors.As(err, &request) {
		return err
	}
	if address, parseErr := url.Parse(request.URL); parseErr == nil {
		return fmt.Errorf("%s: %w", address.Host, request.Err)
	}
	return request.Err
}
