// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"sync/atomic"
	"time"
)

const readHeaderLimit = 10 * time.Second

// meter forwards connections to the API server and counts the bytes that come back, those of
// TLS included.
type meter struct {
	Kubeconfig string

	read     atomic.Int64
	listener net.Listener
}

var serverLine = regexp.MustCompile(`(?m)^(\s*server:\s*)(\S+)\s*$`)

// newMeter writes a kubeconfig that leads through the meter, beside the one that it is made from.
func newMeter(kubeconfig string) (*meter, error) {
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	found := serverLine.FindSubmatch(text)
	if found == nil {
		return nil, os.ErrNotExist
	}
	server, err := url.Parse(string(found[2]))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &meter{Kubeconfig: kubeconfig + ".metered", listener: listener}
	through := serverLine.ReplaceAll(text, []byte("${1}https://"+listener.Addr().String()))
	if err := os.WriteFile(m.Kubeconfig, through, 0o600); err != nil {
		return nil, err
	}
	go m.serve(server.Host)
	return m, nil
}

func (m *meter) serve(to string) {
	for {
		client, err := m.listener.Accept()
		if err != nil {
			return // closed
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			_ = client.Close() // the client sees it as a broken connection, which it is
			continue
		}
		go pipe(server, client, nil)
		go pipe(client, server, &m.read)
	}
}

// pipe copies one direction of a connection until it ends, and ends the other one with it.
func pipe(to, from net.Conn, count *atomic.Int64) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if count != nil {
			count.Add(int64(n))
		}
		if n > 0 {
			if _, errWrite := to.Write(buffer[:n]); errWrite != nil {
				err = io.ErrClosedPipe
			}
		}
		if err != nil {
			_, _ = to.Close(), from.Close() // either may be closed already
			return
		}
	}
}
