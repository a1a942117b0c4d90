// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// programEnv names the program versitygw; where it is not set, a script builds it once.
const programEnv = "TRAINYARD_VERSITYGW"

const (
	accessKey = "key-of-the-tests"
	secretKey = "the-secret-of-the-tests"
)

var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programEnv); path != "" {
		return path, nil
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "", errors.New("this program does not know where its source lies")
	}
	script := exec.Command(filepath.Join(filepath.Dir(file), "..", "..", "tools", "scripts", "versitygw.sh"))
	var told bytes.Buffer
	script.Stderr = &told
	output, err := script.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, told.String())
	}
	return strings.TrimSpace(string(output)), nil
})

// startVersitygw starts a server with an empty folder and returns its URL. What belongs to
// objects stands in files beside them: not every file system of tests has extended attributes.
func startVersitygw(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatalf("get versitygw: %v", err)
	}
	for range 5 {
		if address, ok := tryVersitygw(t, path); ok {
			return address
		}
	}
	t.Fatal("versitygw does not start: another program takes every port that was free")
	return ""
}

// tryVersitygw fails where another program takes the port before the server does.
func tryVersitygw(t *testing.T, path string) (address string, ok bool) {
	t.Helper()
	listen, health := freeAddress(t), "/health-"+rand.Text() // which no other server of these tests has
	command := exec.Command(path, "--port", listen, "--health", health, "--quiet",
		"posix", "--sidecar", t.TempDir(), "--versioning-dir", t.TempDir(), t.TempDir())
	command.Env = []string{"ROOT_ACCESS_KEY=" + accessKey, "ROOT_SECRET_KEY=" + secretKey, "HOME=" + t.TempDir()}
	ok = start(t, command, "http://"+listen+health, func(r *http.Response) bool { return r.StatusCode == http.StatusOK })
	return "http://" + listen, ok
}

// start runs a server until the test ends, and waits until an answer of it says that it is
// ready; false where the server ended before.
func start(t *testing.T, command *exec.Cmd, address string, ready func(*http.Response) bool) bool {
	t.Helper()
	var told bytes.Buffer
	command.Stdout, command.Stderr = &told, &told
	if err := command.Start(); err != nil {
		t.Fatalf("start %s: %v", command.Path, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait()
		cancel()
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s: %s", command.Path, told.String())
		}
	})
	again := func(error) retry.Verdict { return retry.Verdict{Again: true} }
	return nil == retry.Do(ctx, "wait for the server", again, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if !ready(response) {
			return errors.New(response.Status)
		}
		return nil
	})
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
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
