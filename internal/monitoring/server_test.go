// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// server is a real Prometheus or Alertmanager that a test runs.
type server struct{ address string }

// startPrometheus runs Prometheus with a configuration, in whose folder its rules lie.
func startPrometheus(t *testing.T, dir, config string) server {
	t.Helper()
	return start(t, program(t, prometheusPath), "/-/ready", "--config.file="+write(t, dir, "prometheus.yaml", []byte(config)), "--storage.tsdb.path="+dir+"/data")
}

func startAlertmanager(t *testing.T, dir, config string) server {
	t.Helper()
	return start(t, program(t, alertmanagerPath), "/-/ready", "--config.file="+write(t, dir, "alertmanager.yaml", []byte(config)),
		"--storage.path="+dir+"/alertmanager", "--cluster.listen-address=")
}

// start runs a program until the test ends, and returns when it is ready.
func start(t *testing.T, path, ready string, args ...string) server {
	t.Helper()
	s := server{address: freeAddress(t)}
	var log bytes.Buffer
	command := exec.Command(path, append(args, "--web.listen-address="+s.address)...)
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended by itself
		<-ended
		if t.Failed() {
			t.Logf("%s said:\n%s", path, &log)
		}
	})
	eventually(t, func() error {
		answer, err := http.Get("http://" + s.address + ready)
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s is %s", ready, answer.Status)
		}
		return nil
	})
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// eventually waits, for at most two minutes, until a check has no complaint.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal(err)
		}
	}
}

// get asks Prometheus's API and decodes the data of its answer.
func (s server) get(path, query string, data any) error {
	answer, err := http.Get("http://" + s.address + "/api/v1/" + path + "?query=" + url.QueryEscape(query))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var envelope struct {
		Error string          `json:"error"`
		Data  json.RawMessage `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		return err
	}
	if envelope.Error != "" {
		return fmt.Errorf("%s: %s", strings.TrimSpace(query), envelope.Error)
	}
	return json.Unmarshal(envelope.Data, data)
}
