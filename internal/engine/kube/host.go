// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"net"
	"net/url"
)

// CheckHost says what is wrong with the URL of an API server, or returns nil. Without TLS
// credentials would go over the network in the clear, so that only a loopback address may do
// without; and a URL with a password in it would end up in state.
func CheckHost(host string) error {
	at, err := url.Parse(host)
	switch {
	case err != nil || at.Host == "" || (at.Scheme != "https" && at.Scheme != "http"):
		return errors.New("the host is not a URL such as https://10.0.0.1:6443")
	case at.User != nil:
		return errors.New("the host has a user in it; credentials belong into the provider's token or into exec")
	case at.Scheme == "http" && !isLoopback(at.Hostname()):
		return errors.New("the host is not https, and credentials would go over the network in the clear")
	}
	return nil
}

func isLoopback(name string) bool {
	return name == "localhost" || net.ParseIP(name).IsLoopback()
}
