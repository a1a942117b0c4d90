// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// waitFor waits until something holds that another goroutine brings about.
func waitFor(t testing.TB, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal("it does not come about")
		}
		time.Sleep(time.Millisecond)
	}
}

// hijacked answers with raw bytes and closes the connection.
func hijacked(w http.ResponseWriter, raw string) {
	connection, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = buffered.WriteString(raw)
	_ = buffered.Flush()
	_ = connection.Close()
}

func TestFaultsThatPass(t *testing.T) {
	archive := archiveOf(t, "queue", "1.2.0", "one")
	faults := map[string]func(w http.ResponseWriter, r *http.Request){
		"500": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"503": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"429 with a wait": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		"a reset": func(w http.ResponseWriter, _ *http.Request) { hijacked(w, "") },
		"a cut body": func(w http.ResponseWriter, _ *http.Request) {
			hijacked(w, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\napi")
		},
		"a cut chunk": func(w http.ResponseWriter, _ *http.Request) {
			hijacked(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\napi")
		},
		"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"silence within the body": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "9999")
			_, _ = w.Write([]byte("apiVersion"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
	}
	for name, fault := range faults {
		for _, path := range []string{"/stable/index.yaml", "/stable/queue-1.2.0.tgz"} {
			t.Run(name+" of "+path, func(t *testing.T) {
				t.Parallel()
				site := newSite(t)
				site.fault = func(w http.ResponseWriter, r *http.Request, nth int) bool {
					if r.URL.Path == path && nth == 1 {
						fault(w, r)
						return true
					}
					return false
				}
				chart := mustFind(t, newStore(t, ""), site.publish(archive, "queue-1.2.0.tgz", ""))
				if chart.Digest != digestOfBytes(archive) || site.count(path) != 2 {
					t.Errorf("%+v after %d requests", chart, site.count(path))
				}
			})
		}
	}
}

// A body that ends with its connection looks complete; gzip knows better.
func TestCutArchiveWithoutLengthIsNotKept(t *testing.T) {
	archive := archiveOf(t, "queue", "1.2.0", "one")
	site := newSite(t)
	site.fault = func(w http.ResponseWriter, r *http.Request, nth int) bool {
		if !strings.HasSuffix(r.URL.Path, ".tgz") || nth > 1 {
			return false
		}
		hijacked(w, "HTTP/1.0 200 OK\r\n\r\n"+string(archive[:len(archive)-20]))
		return true
	}
	if chart := mustFind(t, newStore(t, ""), site.publish(archive, "queue-1.2.0.tgz", "")); chart.Digest != digestOfBytes(archive) {
		t.Errorf("got %s", chart.Digest)
	}
}

func TestFaultsThatStay(t *testing.T) {
	t.Run("a repository that is down", func(t *testing.T) {
		server := httptest.NewServer(nil)
		address := server.URL
		server.Close()
		_, err := newStore(t, "").Find(t.Context(), Source{Repository: address, Name: "queue", Version: "1.2.0"})
		wantError(t, err, "queue 1.2.0 of "+address, "connection refused", "after 3 attempts")
	})
	t.Run("errors without end", func(t *testing.T) {
		site := newSite(t)
		site.fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		_, err := newStore(t, "").Find(t.Context(), Source{Repository: site.URL, Name: "queue", Version: "1.2.0"})
		wantError(t, err, "502 Bad Gateway", "after 3 attempts")
	})
	t.Run("a wait that is too long", func(t *testing.T) {
		site := newSite(t)
		site.fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		_, err := newStore(t, "").Find(t.Context(), Source{Repository: site.URL, Name: "queue", Version: "1.2.0"})
		wantError(t, err, "429 Too Many Requests")
		if got := site.total(); got != 1 {
			t.Errorf("%d requests", got)
		}
	})
	t.Run("an archive without end", func(t *testing.T) {
		site := newSite(t)
		site.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if strings.HasSuffix(r.URL.Path, ".tgz") {
				for block := make([]byte, 1<<20); r.Context().Err() == nil; {
					if _, err := w.Write(block); err != nil {
						break
					}
				}
				return true
			}
			return false
		}
		store := newStore(t, "")
		_, err := store.Find(t.Context(), site.publish(nil, "queue-1.2.0.tgz", ""))
		wantError(t, err, "larger than 64 MiB")
		wantEmpty(t, store.dir)
	})
}

func TestEndOfTimeNamesTheLastCause(t *testing.T) {
	site := newSite(t)
	site.fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	store := newStore(t, "")
	store.limits.Tries = 1000
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := store.Find(ctx, Source{Repository: site.URL, Name: "queue", Version: "1.2.0"})
	wantError(t, err, "the time limit is reached", "502 Bad Gateway")
}

func TestInterruptedFindEndsAtOnce(t *testing.T) {
	site := newSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	site.fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		cancel()
		<-r.Context().Done()
		return true
	}
	store := newStore(t, "")
	store.limits.Silence = time.Hour
	_, err := store.Find(ctx, Source{Repository: site.URL, Name: "queue", Version: "1.2.0"})
	var exhausted *retry.Exhausted
	if !errors.As(err, &exhausted) {
		t.Fatalf("got %v", err)
	}
	wantError(t, err, "interrupted")
}

// One who gives up leaves the fetch to those who still wait.
func TestInterruptedFindLeavesOthersAlone(t *testing.T) {
	site := newSite(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	site.fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, ".tgz") {
			close(arrived)
			<-release
		}
		return false
	}
	store := newStore(t, "")
	store.limits.Silence = time.Hour
	source := site.publish(archiveOf(t, "queue", "1.2.0", "one"), "queue-1.2.0.tgz", "")
	ctx, cancel := context.WithCancel(t.Context())
	impatient, patient := make(chan error), make(chan error)
	go func() { _, err := store.Find(ctx, source); impatient <- err }()
	<-arrived
	go func() { _, err := store.Find(t.Context(), source); patient <- err }()
	waitFor(t, func() bool { return store.flights.waiters() == 2 })
	cancel()
	if err := <-impatient; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	if err := <-patient; err != nil {
		t.Errorf("got %v", err)
	}
}
