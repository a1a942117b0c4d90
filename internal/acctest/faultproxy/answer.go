// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
)

// tell calls a watcher.
func (p *Proxy) tell(watcher func(int, Request), number int, request Request) {
	if watcher == nil {
		return
	}
	p.watching.Lock()
	defer p.watching.Unlock()
	watcher(number, request)
}

// answered sees every answer of the API server before the client does.
func (p *Proxy) answered(resp *http.Response) error {
	p.mu.Lock()
	after, replace := p.after, p.replace
	p.mu.Unlock()
	if number, ok := resp.Request.Context().Value(numberKey{}).(int); ok {
		p.tell(after, number, parse(resp.Request))
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
