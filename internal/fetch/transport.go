// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Transport is for requests that Repeat repeats: it is guarded, and answers that may be
// others in a moment are errors, for repositories and registries alike.
func Transport() http.RoundTripper { return Lasting(Guard(plain())) }

func plain() http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        20,
		IdleConnTimeout:     30 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
}

// Guard refuses to speak plain http with any other machine, also where a redirect or a
// registry leads there.
func Guard(inner http.RoundTripper) http.RoundTripper { return guard{inner} }

type guard struct{ inner http.RoundTripper }

func (g guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" && !IsLoopback(request.URL.Hostname()) {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, &plaintextError{host: request.URL.Host}
	}
	return g.inner.RoundTrip(request)
}

type plaintextError struct{ host string }

func (e *plaintextError) Error() string {
	return e.host + " is asked for over plain http, which anybody on the way can change. Use https"
}

// Lasting makes errors of answers that may be others in a moment: 429 and 5xx.
func Lasting(inner http.RoundTripper) http.RoundTripper { return lasting{inner} }

type lasting struct{ inner http.RoundTripper }

func (l lasting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.inner.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusInternalServerError && response.StatusCode != http.StatusTooManyRequests {
		return response, nil
	}
	_ = response.Body.Close() // its text is a proxy's page more often than not
	return nil, &busyError{host: request.URL.Host, status: response.Status, after: retryAfter(response.Header)}
}

type busyError struct {
	host, status string
	after        time.Duration
}

func (e *busyError) Error() string { return e.host + " answers " + e.status }

// retryAfter reads the header in seconds or as a date (RFC 9110); 0 where there is none.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// IsLoopback says whether a host name is this machine by definition (RFC 6761, RFC 5735).
func IsLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
