// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"context"
	"sync"
)

// flights lets callers who want the same at the same time share one fetch. Unlike
// singleflight it honours each caller's context: a fetch goes on while anybody waits for it
// and ends with the last one.
type flights struct {
	mu      sync.Mutex
	running map[flightKey]*flight
}

type flightKey struct {
	source      Source
	credentials Credentials
}

func keyOf(source Source) flightKey {
	key := flightKey{source: source}
	if source.Credentials != nil {
		key.credentials = *source.Credentials
	}
	key.source.Credentials = nil
	return key
}

type flight struct {
	cancel  context.CancelCauseFunc
	waiting int
	done    chan struct{}
	// Set before done is closed.
	chart Chart
	err   error
}

func (f *flights) do(ctx context.Context, key flightKey, run func(context.Context) (Chart, error)) (Chart, error) {
	current := f.join(ctx, key, run)
	select {
	case <-current.done:
		return current.chart, current.err
	case <-ctx.Done():
	}
	if !f.leave(key, current) {
		return Chart{}, context.Cause(ctx)
	}
	// The last one waits for the end, which says what the fetch was at.
	current.cancel(context.Cause(ctx))
	<-current.done
	return current.chart, current.err
}

func (f *flights) join(ctx context.Context, key flightKey, run func(context.Context) (Chart, error)) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if current, ok := f.running[key]; ok {
		current.waiting++
		return current
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	current := &flight{cancel: cancel, waiting: 1, done: make(chan struct{})}
	f.running[key] = current
	go func() {
		defer close(current.done)
		defer cancel(nil)
		current.chart, current.err = run(ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.forget(key, current)
	}()
	return current
}

// leave says whether the caller was the last one who waited.
func (f *flights) leave(key flightKey, current *flight) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	current.waiting--
	if current.waiting > 0 {
		return false
	}
	f.forget(key, current)
	return true
}

func (f *flights) forget(key flightKey, current *flight) {
	if f.running[key] == current {
		delete(f.running, key)
	}
}
