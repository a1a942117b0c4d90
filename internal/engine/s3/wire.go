// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/xml"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// wire is the transport below the S3 client. It bounds every request in time, and makes typed
// errors of what goes wrong: the client makes up a NoSuchBucket for any page with a 404 and
// loses the server's clock, which this does not.
type wire struct {
	inner http.RoundTripper
	host  string
	limit time.Duration
	// server is how the server last named itself (header Server).
	server atomic.Pointer[string]
}

func newWire(host string, authorities *x509.CertPool, limit time.Duration) *wire {
	return &wire{host: host, limit: limit, inner: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     30 * time.Second,
	}}
}

// RoundTrip returns answers of success alone; all others are a *Fault.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(request.Context(), w.limit)
	response, err := w.inner.RoundTrip(request.WithContext(ctx))
	if err != nil {
		slow := ctx.Err() != nil && request.Context().Err() == nil
		cancel()
		return nil, &unreachableError{host: w.host, limit: w.limit, cause: err, slow: slow}
	}
	if server := response.Header.Get("Server"); server != "" {
		w.server.Store(&server)
	}
	if response.StatusCode/100 == 2 {
		response.Body = &releasing{response.Body, cancel}
		if copied, ok := request.Context().Value(copyKey{}).(*bytes.Buffer); ok {
			copied.Reset()
			response.Body = &copying{response.Body, io.TeeReader(response.Body, copied)}
		}
		return response, nil
	}
	defer cancel()
	defer func() { _ = response.Body.Close() }()
	return nil, w.fault(response)
}

// named is the server as errors name it: its host, and what it says that it is.
func (w *wire) named() string {
	if server := w.server.Load(); server != nil {
		return w.host + " (" + *server + ")"
	}
	return w.host
}

// maxFault bounds the body of an error in bytes.
const maxFault = 64 << 10

func (w *wire) fault(response *http.Response) *Fault {
	fault := &Fault{Host: w.named(), Status: response.StatusCode, After: retryAfter(response.Header)}
	if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		fault.Ahead = new(time.Until(at).Round(time.Second))
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxFault))
	if err != nil {
		return fault
	}
	var told struct {
		XMLName xml.Name `xml:"Error" json:"-"`
		Code    string
		Message string
		Region  string
	}
	// MinIO's admin API answers in JSON what the others say in XML.
	if xml.Unmarshal(body, &told) == nil || json.Unmarshal(body, &told) == nil {
		fault.Code, fault.Message, fault.Region = told.Code, short(told.Message), told.Region
	}
	if region := response.Header.Get("X-Amz-Bucket-Region"); region != "" {
		fault.Region = region
	}
	return fault
}

func short(text string) string {
	const most = 300
	if text = strings.TrimSpace(text); len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// retryAfter reads the header in seconds; 0 where there is none.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// releasing ends a request's context with its body.
type releasing struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (r *releasing) Close() error {
	defer r.cancel()
	return r.ReadCloser.Close()
}

type copyKey struct{}

// copied gives the requests of a context a second reader: the text of their answers is in the
// buffer once the client has read it.
func copied(ctx context.Context) (context.Context, *bytes.Buffer) {
	text := &bytes.Buffer{}
	return context.WithValue(ctx, copyKey{}, text), text
}

type copying struct {
	io.Closer
	io.Reader
}
