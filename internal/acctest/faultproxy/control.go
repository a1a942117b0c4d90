// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import "regexp"

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
// server gets it, and after it has answered but before the client knows. Either may be nil;
// one call is made at a time.
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
