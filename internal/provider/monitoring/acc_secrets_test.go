// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const canary = "cAnArY-77d0-sEcReT"

// The secret comes through an ephemeral variable: a plan as JSON repeats the constants of the
// configuration.
const secretVariable = `
variable "secret" {
  type      = string
  sensitive = true
  ephemeral = true
}
`

// secretly makes, changes and repairs what holds secrets with every log at its loudest, and looks
// for them in whatever Terraform and the provider keep.
func secretly(s *site) {
	t := s.t
	config := func(revision string) string {
		return secretVariable + s.config(s.stack(`
    remote_write = { central = { url = "https://metrics.example.com/write", username = "robot", password_wo = "write-${var.secret}" } }`), `
  receivers = {
    page = { severities = ["critical"], pagerduty = { routing_key_wo = "page-${var.secret}" } }
    team = {
      slack   = { channel = "#gpu", url_wo = "https://hooks.example.com/${var.secret}" }
      webhook = { url_wo = "https://bot.example.com/${var.secret}", username = "robot", password_wo = "hook-${var.secret}" }
    }
  }
  secrets_wo_revision = `+revision)
	}
	w := s.ProgramWorkspace(config("1"))
	log := filepath.Join(w.Dir, "trace.log")
	w.Setenv("TF_LOG=TRACE", "TF_LOG_PATH="+log, "TF_VAR_secret="+canary)
	var told []string
	do := func(code int, args ...string) string {
		t.Helper()
		text := w.Must(w.Run(args...), code).Text
		told = append(told, text, string(w.State()))
		if args[0] == "plan" {
			told = append(told, w.Must(w.Run("show", "-json", "saved"), 0).Text)
		}
		return text
	}
	plan, apply := []string{"plan", "-detailed-exitcode", "-out=saved"}, []string{"apply", "-auto-approve"}
	stands := func(secret string) {
		t.Helper()
		for key, want := range map[string]string{
			"page-pagerduty-key": "page-" + secret, "team-slack-url": "https://hooks.example.com/" + secret, "team-webhook-password": "hook-" + secret,
		} {
			if got := s.found(kube.Secret, alertmanager, "data", key); got != want {
				t.Errorf("Alertmanager has %s = %q, want %q", key, got, want)
			}
		}
		if got := s.found(kube.Secret, "trainyard-remote-write-central", "data", "password"); got != "write-"+secret {
			t.Errorf("Prometheus has the password %q", got)
		}
	}
	do(acctest.Changes, plan...)
	do(0, apply...)
	do(acctest.Empty, plan...)
	stands(canary)
	has(t, s.found(kube.Secret, alertmanager, "data", "alertmanager.yaml"), "routing_key_file: /etc/alertmanager/config/page-pagerduty-key", "severity =~ ")
	has(t, s.found(prometheus, "kube-prometheus-stack-prometheus", "spec", "remoteWrite"), "trainyard-remote-write-central")

	t.Log("a secret that somebody changes is drift, and put back")
	s.Edit(kube.Secret, s.ns, alertmanager, `{"data":{"team-slack-url":"eA=="}}`)
	has(t, do(acctest.Changes, plan...), "Secret "+s.ns+"/"+alertmanager+": data")
	do(0, apply...)
	stands(canary)

	t.Log("secrets that change come with their revision")
	w.Setenv("TF_VAR_secret=" + canary + "-2")
	do(acctest.Empty, plan...)
	stands(canary)
	w.Write(config("2"))
	do(acctest.Changes, plan...)
	do(0, apply...)
	stands(canary + "-2")
	do(0, "destroy", "-auto-approve")
	s.gone(kube.Secret, alertmanager, "trainyard-remote-write-central")
	traced, err := os.ReadFile(log)
	if err != nil || len(traced) == 0 {
		t.Fatalf("there is no log to search: %v", err)
	}
	for i, text := range append(told, strings.Split(string(traced), "\n")...) {
		if holds(text) {
			t.Errorf("a secret stands in text %d: %.600s", i, text)
		}
	}
}

// holds looks for the secret itself, and in the base64 form that a Secret gives it.
func holds(text string) bool {
	if strings.Contains(text, canary) {
		return true
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t\"',:{}[]", r) }) {
		if decoded, err := base64.StdEncoding.DecodeString(word); err == nil && strings.Contains(string(decoded), canary) {
			return true
		}
	}
	return false
}
