// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

const canary = "cAnArY-9f31-sEcReT"

// The password comes through an ephemeral variable: a plan as JSON repeats the constants of
// the configuration.
const secretTeam = `
variable "password" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "trainyard_team_quota" "this" {
  name = %[1]q
  registry = {
    server           = "registry.example.com"
    username         = "robot"
    password         = var.password
    password_version = %[2]q
  }
}
`

// TestAccSecretsStayOut applies, plans, repairs and fails with every log at its loudest, and
// looks for the password in whatever Terraform and the provider wrote. The Secret in the
// cluster is where it belongs.
func TestAccSecretsStayOut(t *testing.T) {
	bed := acctest.New(t)
	owner, name := acctest.Name("acc-canary"), acctest.Name("acc-canary")
	bed.Sweep(owner)
	ws := bed.ProgramWorkspace(acctest.Owned(owner) + fmt.Sprintf(secretTeam, name, "1"))
	log := filepath.Join(ws.Dir, "trace.log")
	ws.Setenv("TF_LOG=TRACE", "TF_LOG_PATH="+log, "TF_VAR_password="+canary)

	outputs := []string{ws.Must(ws.Apply(), 0).Text}
	if stored := bed.Get(kube.Secret, name, objects.RegistryName); !holds(fmt.Sprint(stored.Object["data"])) {
		t.Fatalf("the Secret does not hold the password")
	}
	bed.Edit(kube.Secret, name, objects.RegistryName, `{"data":{".dockerconfigjson":"e30="}}`)
	outputs = append(outputs, ws.Must(ws.Run("plan", "-detailed-exitcode", "-out=saved"), acctest.Changes).Text)
	outputs = append(outputs, ws.Must(ws.Run("show", "-json", "saved"), 0).Text)
	outputs = append(outputs, ws.Must(ws.Apply(), 0).Text)
	ws.Write(acctest.Owned(owner) + fmt.Sprintf(secretTeam, name, "not a version/"+strings.Repeat("x", 300)))
	outputs = append(outputs, ws.Apply().Text) // whatever becomes of it, nothing of the password may be told

	traced, err := os.ReadFile(log)
	if err != nil || len(traced) == 0 {
		t.Fatalf("there is no log to search: %v", err)
	}
	outputs = append(outputs, string(traced), string(ws.State()))
	for i, text := range outputs {
		if holds(text) {
			t.Errorf("the password stands in output %d", i)
		}
	}
	for _, event := range bed.List(acctest.Kind("", "v1", "Event", "events", true), "") {
		if text, err := event.MarshalJSON(); err == nil && holds(string(text)) {
			t.Errorf("the password stands in the event %s", event.GetName())
		}
	}
}

// holds looks for the canary itself, and in the base64 forms that a Secret gives it.
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
