// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/s3bed"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

const (
	accessKey = s3bed.AccessKey
	secretKey = s3bed.SecretKey
)

// startVersitygw starts a server with an empty folder and returns its URL.
func startVersitygw(t *testing.T) string {
	t.Helper()
	return s3bed.Start(t).URL
}

// proxy stands in front of a server and answers some requests itself.
type proxy struct {
	URL string

	mu       sync.Mutex
	answers  func(http.ResponseWriter, *http.Request) bool
	requests []string
}

func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // which is signed
	}}
	p := &proxy{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		answers := p.answers
		p.requests = append(p.requests, r.Method+" "+r.URL.RequestURI())
		p.mu.Unlock()
		if answers == nil || !answers(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// answer sets what answers requests in place of the server, where it returns true.
func (p *proxy) answer(by func(http.ResponseWriter, *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = by
}

// refuse answers a request as S3 does when it does not do what is asked.
func refuse(w http.ResponseWriter, status int, code, message string) bool {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
	return true
}

func open(t *testing.T, endpoint string, change ...func(*Connection)) *Server {
	t.Helper()
	connection := Connection{Endpoint: endpoint, AccessKey: accessKey, SecretKey: secretKey, Patience: 20 * time.Second}
	for _, c := range change {
		c(&connection)
	}
	server, err := Open(connection)
	if err != nil {
		t.Fatal(err)
	}
	server.settle = time.Second
	return server
}

// wanted is a bucket of ours with a name and nothing else.
func wanted(change ...func(*Want)) Want {
	want := Want{Bucket: spec.Bucket{Name: "datasets"}, Owner: "tier/datasets"}
	for _, c := range change {
		c(&want)
	}
	return want
}

// keep brings a bucket to what is wanted and returns the lines of what that took.
func keep(t *testing.T, s *Server, want Want) ([]string, error) {
	t.Helper()
	have, err := s.Observe(t.Context(), want.Name, want.Features())
	if err != nil {
		return nil, err
	}
	changes := Between(want, have)
	have, err = s.Apply(t.Context(), want, have, changes)
	if err == nil {
		if left := Between(want, have); len(left) > 0 {
			t.Errorf("after it was applied there is left: %v", Lines(left))
		}
	}
	return Lines(changes), err
}

func mustKeep(t *testing.T, s *Server, want Want) []string {
	t.Helper()
	lines, err := keep(t, s, want)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func upload(t *testing.T, s *Server, bucket, key, content string) minio.UploadInfo {
	t.Helper()
	info, err := s.client.Client.PutObject(t.Context(), bucket, key, strings.NewReader(content), int64(len(content)), minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// checkError wants an error that says all of the parts, and no secret.
func checkError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; it should say %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), secretKey) || strings.Contains(err.Error(), accessKey) {
		t.Errorf("%q shows a key", err)
	}
}

func certificatePEM(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}
