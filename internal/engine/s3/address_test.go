// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"errors"
	"net/http"
	"testing"
)

// recorded is a transport that answers nothing.
type recorded func(*http.Request)

func (r recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	r(request)
	return nil, &plainError{}
}

type plainError struct{}

func (*plainError) Error() string { return "nobody is asked" }

func TestBucketsAreAddressedAsTheServerWants(t *testing.T) {
	for name, test := range map[string]struct {
		endpoint string
		style    *bool
		host     string
	}{
		"Amazon, as it is known to":   {"https://s3.eu-north-1.amazonaws.com", nil, "datasets.s3.dualstack.eu-north-1.amazonaws.com"},
		"Amazon, by path":             {"https://s3.eu-north-1.amazonaws.com", new(true), "s3.dualstack.eu-north-1.amazonaws.com"},
		"another, as it is known to":  {"https://s3.example.com:9000", nil, "s3.example.com:9000"},
		"another, by the host's name": {"https://s3.example.com:9000", new(false), "datasets.s3.example.com:9000"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, test.endpoint, func(c *Connection) { c.PathStyle, c.Region = test.style, "eu-north-1" })
			var host string
			s.wire.inner = recorded(func(r *http.Request) { host = r.URL.Host })
			_, err := s.client.GetBucketVersioning(t.Context(), "datasets")
			var plain *plainError
			if !errors.As(err, &plain) || host != test.host {
				t.Errorf("asked %q, want %q; err = %v", host, test.host, err)
			}
		})
	}
}
