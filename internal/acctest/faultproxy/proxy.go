// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package faultproxy stands between a client and an API server on the loopback interface,
// counts the requests, and makes chosen ones fail in chosen ways.
package faultproxy

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// Proxy is a running proxy. It speaks TLS and HTTP/2 to its clients, as an API server does.
type Proxy struct {
	// Kubeconfig is the path of a kubeconfig that leads through the proxy.
	Kubeconfig string
	// Host and CA (PEM) are for clients that have credentials of their own.
	Host, CA string

	forward *httputil.ReverseProxy
	closing chan struct{}

	mu            sync.Mutex
	requests      []Request
	faults        []*Injected
	replace       [][2][]byte
	before, after func(n int, r Request)

	watching sync.Mutex // held while a watcher runs
}

// Start runs a proxy in front of an API server until the test ends. It authenticates with
// the credentials of upstream; where those are none, what the client sends is passed on.
func Start(t testing.TB, upstream *rest.Config) *Proxy {
	t.Helper()
	return start(t, upstream, true)
}

func start(t testing.TB, upstream *rest.Config, http2 bool) *Proxy {
	t.Helper()
	target, err := url.Parse(upstream.Host)
	if err != nil {
		t.Fatalf("the address of the API server: %v", err)
	}
	transport, err := rest.TransportFor(upstream)
	if err != nil {
		t.Fatalf("set up the connection to the API server: %v", err)
	}
	p := &Proxy{closing: make(chan struct{})}
	quiet := log.New(io.Discard, "", 0) // clients that leave are the point of the exercise
	p.forward = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      transport,
		ModifyResponse: p.answered,
		FlushInterval:  -1,
		ErrorLog:       quiet,
	}
	server := httptest.NewUnstartedServer(p)
	server.EnableHTTP2 = http2
	server.Config.ErrorLog = quiet
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }
	server.StartTLS()
	t.Cleanup(func() {
		close(p.closing)
		server.CloseClientConnections()
		server.Close()
	})
	p.Host = server.URL
	p.CA = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	p.Kubeconfig = writeKubeconfig(t, p.Host, p.CA)
	return p
}

func writeKubeconfig(t testing.TB, host, ca string) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "proxy",
		"clusters": []any{map[string]any{"name": "proxy", "cluster": map[string]any{"server": host, "certificate-authority-data": []byte(ca)}}},
		"contexts": []any{map[string]any{"name": "proxy", "context": map[string]any{"cluster": "proxy", "user": "none"}}},
		"users":    []any{map[string]any{"name": "none", "user": map[string]any{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

type (
	connKey   struct{}
	numberKey struct{}
)

// ServeHTTP answers one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := parse(r)
	p.mu.Lock()
	p.requests = append(p.requests, request)
	number, before := len(p.requests), p.before
	kind := p.struck(request)
	p.mu.Unlock()
	p.tell(before, number, request)
	r = r.WithContext(context.WithValue(r.Context(), numberKey{}, number))
	if kind == "" {
		p.forward.ServeHTTP(w, r)
		return
	}
	p.fail(w, r, kind)
}

// struck decides about a request. Every fault that matches counts it.
func (p *Proxy) struck(request Request) (kind Kind) {
	for _, injected := range p.faults {
		if injected.matches(request) && injected.strikes() && kind == "" {
			kind = injected.fault.Kind
		}
	}
	return kind
}
