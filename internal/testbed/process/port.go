// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// FreePorts returns n different TCP ports of 127.0.0.1 that nothing listens on.
// They are held together until all are known, so no two are equal.
func FreePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("cannot find a free port: %w", err)
		}
		defer func() { _ = listener.Close() }()
		address, err := netip.ParseAddrPort(listener.Addr().String())
		if err != nil {
			return nil, fmt.Errorf("cannot find a free port: %w", err)
		}
		ports = append(ports, int(address.Port()))
	}
	return ports, nil
}

// CheckPort says, as an error, whether the port of 127.0.0.1 is taken.
func CheckPort(port int) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("cannot use port %d: %w", port, err)
	}
	return listener.Close()
}
