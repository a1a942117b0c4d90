// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const canary = "cAnArY-41c7-sEcReT"

// The secret comes through an ephemeral variable: a plan as JSON repeats the constants of the
// configuration.
const secretVariable = `
variable "password" {
  type      = string
  sensitive = true
  ephemeral = true
}
`

// TestAccSecretValuesStayOut installs, upgrades, repairs, fails and removes with every log at its
// loudest, and looks for the secret in whatever Terraform, the provider and the cluster keep.
// Helm's own record, and what the chart makes of the secret, are where it belongs.
func TestAccSecretValuesStayOut(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	config := func(more string) string { return secretVariable + s.component(chart, more) }
	secretly := `
  values_wo = { password = var.password, greeting = "hello ${var.password}" }
  timeouts  = { create = "8s", update = "8s" }`
	w := run{s.ProgramWorkspace(config(secretly)), s}
	log := filepath.Join(w.Dir, "trace.log")
	w.Setenv("TF_LOG=TRACE", "TF_LOG_PATH="+log, "TF_VAR_password="+canary)
	var told []string
	do := func(code int, args ...string) {
		t.Helper()
		told = append(told, w.Must(w.Run(args...), code).Text)
		if args[0] == "plan" {
			told = append(told, w.Must(w.Run("show", "-json", "saved"), 0).Text)
		}
	}
	plan, apply := []string{"plan", "-detailed-exitcode", "-out=saved"}, []string{"apply", "-auto-approve"}
	stands := func(greeting string) {
		t.Helper()
		password, _ := base64.StdEncoding.DecodeString(s.Get(secret, s.ns, "app").Object["data"].(map[string]any)["password"].(string))
		data := s.Get(acctest.ConfigMap, s.ns, "app").Object["data"].(map[string]any)
		if string(password) != canary || data["greeting"] != greeting {
			t.Errorf("the chart got %q and %q", password, data["greeting"])
		}
	}
	do(2, plan...)
	do(0, apply...)
	stands("hello " + canary)
	s.Edit(acctest.ConfigMap, s.ns, "app", `{"data":{"greeting":"by hand"}}`)
	do(2, plan...)
	if before := w.shown().Before["drift"]; fmt.Sprint(before) == "[]" {
		t.Error("the edit of a secret field is no drift")
	}
	do(0, apply...)
	stands("hello " + canary)

	w.Write(config(`values = { replicas = 2 }` + secretly)) // another change: the secret is merged again
	do(2, plan...)
	do(0, apply...)
	stands("hello " + canary)
	w.Write(config(`values_wo = { password = var.password }` + "\n  values_wo_revision = 2"))
	do(2, plan...)
	do(0, apply...)
	stands("hello")
	for _, wrong := range []string{
		`values = { replicas = "many" }`, `values = { nodeSelector = { nowhere = "x" } }`,
	} {
		w.Write(config(wrong + secretly))
		told = append(told, w.Apply().Text)
	}
	w.Write(config(`values_wo = { password = "x", nodeSelector = { wrong = "${var.password} !" } }` + "\n  values_wo_revision = 3"))
	told = append(told, w.Apply().Text, w.Apply().Text)
	s.searched(t, append(told, string(w.State())))
	w.Write(config("")) // a plan comes before a destroy
	do(0, "destroy", "-auto-approve")
	traced, err := os.ReadFile(log)
	if err != nil || len(traced) == 0 {
		t.Fatalf("there is no log to search: %v", err)
	}
	for _, line := range strings.Split(string(traced), "\n") {
		if holds(line) {
			t.Errorf("the secret stands in the log: %.400s", line)
		}
	}
}

// searched fails the test where the secret is told, or stands in the cluster where it should not.
func (s *stage) searched(t *testing.T, told []string) {
	t.Helper()
	for i, text := range told {
		if at := strings.Index(text, canary); at >= 0 || holds(text) {
			t.Errorf("the secret stands in output %d: ...%s", i, text[max(at-300, 0):min(max(at, 0)+60, len(text))])
		}
	}
	for _, kind := range []kube.Kind{acctest.Kind("", "v1", "Event", "events", true), service, account, volume} {
		for _, object := range s.List(kind, "") {
			if text, err := object.MarshalJSON(); err == nil && holds(string(text)) {
				t.Errorf("the secret stands in the %s %s", kind, object.GetName())
			}
		}
	}
	for _, object := range s.List(secret, "owner=helm") { // nothing but the packed record
		delete(object.Object, "data")
		if text, err := object.MarshalJSON(); err == nil && holds(string(text)) {
			t.Errorf("the secret stands beside Helm's record %s", object.GetName())
		}
	}
}

// holds looks for the secret itself, and in the base64 form that a Secret gives it.
func holds(text string) bool {
	return strings.Contains(text, canary) || slices.ContainsFunc(
		strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t\"',:{}[]", r) }), func(word string) bool {
			decoded, err := base64.StdEncoding.DecodeString(word)
			return err == nil && strings.Contains(string(decoded), canary)
		})
}
