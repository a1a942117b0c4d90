// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// TestAlertmanagerReachesReceivers lets the real Alertmanager read the configuration, with
// secrets in files as its operator lays them out, and bring a receiver the alerts of its
// severities, with its password.
func TestAlertmanagerReachesReceivers(t *testing.T) {
	got := make(chan string, 8)
	bot := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		body, _ := io.ReadAll(r.Body)
		got <- name + ":" + password + " " + string(body)
	}))
	defer bot.Close()
	dir := t.TempDir()
	for key, secret := range map[string]string{
		ReceiverSecret("team", "webhook-url"): bot.URL, ReceiverSecret("team", "webhook-password"): "hidden",
	} {
		save(t, filepath.Join(dir, key), secret)
	}
	receivers := map[string]spec.Receiver{"team": {Severities: []string{"critical"}, Webhook: everyWay["team"].Webhook}}
	for _, name := range []string{"page", "mail", "open"} { // none gets any of the alerts below
		receivers[name] = everyWay[name]
		one := receivers[name]
		one.Severities = []string{"warning"}
		receivers[name] = one
	}
	config := alertmanager(receivers)
	config["route"].(map[string]any)["group_wait"] = "0s"
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "alertmanager.yaml")
	save(t, file, strings.ReplaceAll(string(text), alertmanagerFiles, dir+"/"))
	address := startAlertmanager(t, file, dir)
	alerts := `[{"labels":{"alertname":"Watchdog","severity":"critical"}},{"labels":{"alertname":"Mild","severity":"info"}},{"labels":{"alertname":"GPUHot","severity":"critical"}}]`
	answer, err := http.Post(address+"/api/v2/alerts", "application/json", strings.NewReader(alerts))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("send alerts: %v, %v", answer, err)
	}
	answer.Body.Close()
	select {
	case message := <-got:
		if !strings.HasPrefix(message, "robot:hidden ") || !strings.Contains(message, `"alertname":"GPUHot"`) {
			t.Errorf("the webhook got %s", message)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the webhook got nothing")
	}
	if len(got) > 0 {
		t.Errorf("the webhook got more: %s", <-got)
	}
}

func save(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// startAlertmanager runs it until the test ends, and returns its address once it is ready.
func startAlertmanager(t *testing.T, config, dir string) string {
	t.Helper()
	build := exec.CommandContext(t.Context(), filepath.Join("..", "tools", "scripts", "alertmanager.sh"))
	build.Stderr = os.Stderr
	path, err := build.Output()
	if err != nil {
		t.Fatalf("alertmanager cannot be built: %v", err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	var log bytes.Buffer
	command := exec.CommandContext(t.Context(), strings.TrimSpace(string(path)), "--config.file="+config, "--storage.path="+dir+"/data",
		"--cluster.listen-address=", "--web.listen-address="+address)
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
			t.Logf("alertmanager said:\n%s", &log)
		}
	})
	tick, limit := time.NewTicker(50*time.Millisecond), time.After(30*time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("alertmanager ended: %v", err)
		case <-limit:
			t.Fatal("alertmanager does not become ready")
		case <-tick.C:
			if err := ready(address); err == nil {
				return "http://" + address
			}
		}
	}
}

func ready(address string) error {
	answer, err := http.Get("http://" + address + "/-/ready")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it is %s", answer.Status)
	}
	return nil
}
