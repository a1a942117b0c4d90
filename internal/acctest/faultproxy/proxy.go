// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package faultproxy stands between a client and an API server on the loopback interface,
// counts the requests, and makes chosen ones fail in chosen ways.
package faultproxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
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

// Inject makes requests fail from now on. Where several faults match, the first one
// injected decides.
func (p *Proxy) Inject(fault Fault) *Injected {
	injected := &Injected{fault: fault, path: regexp.MustCompile(fault.Path)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, injected)
	return injected
}

// Hits is how many requests the fault has struck.
func (p *Proxy) Hits(injected *Injected) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return injected.hits
}

// Heal takes back all faults, replacements and watchers.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.replace, p.before, p.after = nil, nil, nil, nil
}

// Replace changes text in the bodies of answers. Both texts have the same length, so that
// protobuf survives.
func (p *Proxy) Replace(text, by string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replace = append(p.replace, [2][]byte{[]byte(text), []byte(by)})
}

// Watch has functions called with each request and its number, from 1: before the API
// server gets it, and after it has answered but before the client knows. Either may be nil.
func (p *Proxy) Watch(before, after func(n int, r Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests, p.before, p.after = nil, before, after
}

// Reset forgets the requests seen so far.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

// Requests returns the requests seen, in order of arrival.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Request(nil), p.requests...)
}

// Counts returns the number of requests by verb and resource: "list queues": 1.
func (p *Proxy) Counts() map[string]int {
	counts := map[string]int{}
	for _, request := range p.Requests() {
		counts[request.String()]++
	}
	return counts
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
	if before != nil {
		before(number, request)
	}
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

// answered sees every answer of the API server before the client does.
func (p *Proxy) answered(resp *http.Response) error {
	p.mu.Lock()
	after, replace := p.after, p.replace
	p.mu.Unlock()
	if number, ok := resp.Request.Context().Value(numberKey{}).(int); ok && after != nil {
		after(number, parse(resp.Request))
	}
	if len(replace) == 0 {
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	for _, pair := range replace {
		if len(pair[0]) != len(pair[1]) {
			return fmt.Errorf("%q and %q differ in length", pair[0], pair[1])
		}
		body = bytes.ReplaceAll(body, pair[0], pair[1])
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// tcp is the TCP connection under a request.
func tcp(r *http.Request) (*net.TCPConn, bool) {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	plain, ok := conn.(*net.TCPConn)
	return plain, ok
}
