// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Basic are a user name and a password for one host and no other; Origin nil is none.
type Basic struct {
	Origin             *url.URL
	Username, Password string
}

// Get reads one URL, repeating it while the failure may pass. An answer other than 200 is a
// *StatusError.
func (l Limits) Get(ctx context.Context, transport http.RoundTripper, name string, address *url.URL, auth Basic, read func(io.Reader) error) error {
	client := &http.Client{Transport: authorized{transport, auth}}
	return l.Repeat(ctx, name, func(ctx context.Context, alive func()) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		alive()
		if response.StatusCode != http.StatusOK {
			return Refusal(response.StatusCode, auth.Origin != nil)
		}
		return read(Ticking{response.Body, alive})
	})
}

// StatusError is an answer that will not change by asking again.
type StatusError struct {
	Code   int
	Remedy string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the answer is %d %s. %s", e.Code, http.StatusText(e.Code), e.Remedy)
}

// Refusal is the error for an answer that refuses: what it says, and what to do.
func Refusal(code int, authorized bool) error {
	remedy := "Check the address"
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		remedy = "Credentials are needed, and none were given"
		if authorized {
			remedy = "The credentials were not accepted, or do not allow this"
		}
	case http.StatusNotFound:
		remedy = "Check the address, the name and the version: nothing is there"
	}
	return &StatusError{Code: code, Remedy: remedy}
}

// Explain says what to do about a registry's refusal; other errors stay as they are.
func Explain(err error) error {
	var answer *transport.Error
	if !errors.As(err, &answer) || answer.Request == nil {
		return err
	}
	return fmt.Errorf("%s: %w", answer.Request.URL.Host, Refusal(answer.StatusCode, answer.Request.Header.Get("Authorization") != ""))
}

// authorized adds credentials to requests for one host and no other. They are added to a
// copy, below the client, which therefore cannot carry them along a redirect.
type authorized struct {
	inner http.RoundTripper
	basic Basic
}

func (a authorized) RoundTrip(request *http.Request) (*http.Response, error) {
	if a.basic.Origin != nil && sameOrigin(request.URL, a.basic.Origin) {
		request = request.Clone(request.Context())
		request.SetBasicAuth(a.basic.Username, a.basic.Password)
	}
	return a.inner.RoundTrip(request)
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && port(a) == port(b)
}

func port(address *url.URL) string {
	switch {
	case address.Port() != "":
		return address.Port()
	case address.Scheme == "http":
		return "80"
	}
	return "443"
}
