// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

func TestJudge(t *testing.T) {
	tests := map[string]struct {
		err  error
		want retry.Verdict
	}{
		"overload":               {&busyError{after: 3 * time.Second}, retry.Verdict{Again: true, After: 3 * time.Second}},
		"silence":                {&slowError{}, retry.Verdict{Again: true}},
		"a reset":                {fmt.Errorf("read: %w", syscall.ECONNRESET), retry.Verdict{Again: true}},
		"nobody listens":         {&net.OpError{Err: syscall.ECONNREFUSED}, retry.Verdict{Again: true}},
		"a cut body":             {io.ErrUnexpectedEOF, retry.Verdict{Again: true}},
		"a busy name server":     {&net.DNSError{IsTimeout: true}, retry.Verdict{Again: true}},
		"no such host":           {&net.DNSError{IsNotFound: true}, retry.Final},
		"a refusal":              {&StatusError{Code: 403}, retry.Final},
		"a full disk":            {syscall.ENOSPC, retry.Final},
		"an interruption":        {context.Canceled, retry.Final},
		"plain http to anywhere": {&plaintextError{}, retry.Final},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := judge(test.err); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestSameOrigin(t *testing.T) {
	tests := map[string]bool{
		"https://a.example.com/x https://a.example.com/y":      true,
		"https://a.example.com/x https://a.example.com:443/y":  true,
		"http://127.0.0.1/x http://127.0.0.1:80":               true,
		"https://a.example.com/x https://a.example.com:8443/x": false,
		"https://a.example.com/x http://a.example.com/x":       false,
		"https://a.example.com/x https://b.a.example.com/x":    false,
		"https://a.example.com/x https://example.com/x":        false,
	}
	for pair, want := range tests {
		var parsed []*url.URL
		for address := range strings.FieldsSeq(pair) {
			one, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, one)
		}
		if got := sameOrigin(parsed[0], parsed[1]); got != want {
			t.Errorf("%s: %t", pair, got)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "2": 2 * time.Second, "-1": 0, "soon": 0, "Mon, 01 Jan 2001 00:00:00 GMT": 0} {
		if got := retryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("%q: %s", value, got)
		}
	}
	at := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := retryAfter(http.Header{"Retry-After": {at}}); got < 59*time.Minute || got > time.Hour {
		t.Errorf("%q: %s", at, got)
	}
}

func TestGuard(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	client := http.Client{Transport: Guard(http.DefaultTransport)}
	response, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	var plaintext *plaintextError
	if _, err := client.Post("http://charts.example.com", "text/plain", strings.NewReader("x")); !errors.As(err, &plaintext) {
		t.Errorf("got %v", err)
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "a.localhost": true, "127.0.0.1": true, "127.1.2.3": true, "::1": true,
		"localhost.example.com": false, "10.0.0.1": false, "example.com": false, "": false, "127.0.0.1.example.com": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}
