// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package s3bed starts real S3 servers for tests.
package s3bed

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// programEnv names the program versitygw; where it is not set, a script builds it once.
const programEnv = "TRAINYARD_VERSITYGW"

// The keys of the servers that are started here.
const (
	AccessKey = "key-of-the-tests"
	SecretKey = "the-secret-of-the-tests"
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

// Server is versitygw at work. What it holds lies in Folder: a folder a bucket, a file an object.
type Server struct{ URL, Folder string }

// Start starts versitygw with an empty folder, until the test ends. What belongs to objects
// stands in files beside them: not every file system of tests has extended attributes.
func Start(t *testing.T) Server {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatalf("get versitygw: %v", err)
	}
	for range 5 {
		if server, ok := try(t, path); ok {
			return server
		}
	}
	t.Fatal("versitygw does not start: another program takes every port that was free")
	return Server{}
}

// try fails where another program takes the port before the server does.
func try(t *testing.T, path string) (server Server, ok bool) {
	t.Helper()
	listen, health := FreeAddress(t), "/health-"+rand.Text() // which no other server of these tests has
	server = Server{URL: "http://" + listen, Folder: t.TempDir()}
	command := exec.Command(path, "--port", listen, "--health", health, "--quiet",
		"posix", "--sidecar", t.TempDir(), "--versioning-dir", t.TempDir(), server.Folder)
	command.Env = []string{"ROOT_ACCESS_KEY=" + AccessKey, "ROOT_SECRET_KEY=" + SecretKey, "HOME=" + t.TempDir()}
	ok = Run(t, command, server.URL+health, func(r *http.Response) bool { return r.StatusCode == http.StatusOK })
	return server, ok
}

// Run runs a server until the test ends, and waits until an answer of it says that it is
// ready; false where the server ended before.
func Run(t *testing.T, command *exec.Cmd, address string, ready func(*http.Response) bool) bool {
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

// FreeAddress is one that no program listens on.
func FreeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
