// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const examples = "../../examples"

// TestAccExamples applies every example that the documentation shows: each has to apply, to
// plan empty, and to go again. They share names, so they take turns.
func TestAccExamples(t *testing.T) {
	bed := acctest.New(t)
	files, err := filepath.Glob(examples + "/*-sources/*/data-source.tf")
	more, _ := filepath.Glob(examples + "/resources/*/resource.tf")
	if files = append(files, more...); err != nil || len(files) < 4 {
		t.Fatalf("too few examples found: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			bed := bed.With(t)
			owner := acctest.Name("acc-example")
			bed.Sweep(owner)
			ws := bed.Workspace(acctest.Owned(owner) + withLocalCharts(t, read(t, file)))
			ws.Setenv("TF_VAR_registry_password=example", "TF_VAR_pagerduty_key=example", "TF_VAR_proxy=http://user:password@proxy.example:3128")
			if strings.Contains(file, "queue_status") {
				for _, name := range []string{"research", "production"} {
					bed.Make(kube.Queue, "", `{"metadata":{"name":"`+name+`"},"spec":{"weight":1}}`)
					t.Cleanup(func() { bed.Delete(kube.Queue, "", name) })
				}
			}
			applyAndLeave(ws)
		})
	}
}

// TestAccQuickstart applies the example that the demo shows.
func TestAccQuickstart(t *testing.T) {
	bed := acctest.New(t)
	bed.Sweep("quickstart")
	ws := bed.Workspace("")
	ws.Setenv("TF_VAR_kubeconfig_path=" + bed.Kubeconfig)
	for _, name := range []string{"main.tf", "outputs.tf"} {
		if err := os.WriteFile(filepath.Join(ws.Dir, name), []byte(read(t, examples+"/quickstart/"+name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	applyAndLeave(ws)
}

// TestAccComponents applies the example of charts that the demo shows, with the device plugin's
// own chart and a stand-in for Volcano's.
func TestAccComponents(t *testing.T) {
	bed := acctest.New(t)
	ws := bed.Workspace("")
	charts := map[string]string{"nvidia_device_plugin": acctest.Chart(t, "nvidia-device-plugin"), "volcano": standInVolcano(t)}
	text, err := json.Marshal(charts)
	if err != nil {
		t.Fatal(err)
	}
	ws.Setenv("TF_VAR_kubeconfig_path="+bed.Kubeconfig, "TF_VAR_charts="+string(text))
	if err := os.WriteFile(filepath.Join(ws.Dir, "main.tf"), []byte(read(t, examples+"/components/main.tf")), 0o600); err != nil {
		t.Fatal(err)
	}
	applyAndLeave(ws)
}

// standInVolcano is a chart with the values of Volcano's, which cannot be had in tests.
func standInVolcano(t *testing.T) string {
	t.Helper()
	return acctest.Root(t) + "/internal/tools/demo/volcano-standin"
}

// withLocalCharts lets an example take charts from their Go modules instead of the catalogue:
// tests have no other network.
func withLocalCharts(t *testing.T, text string) string {
	t.Helper()
	text = strings.NewReplacer(
		"device_plugins = {}", `device_plugins = { nvidia = { chart = { path = "`+acctest.Chart(t, "nvidia-device-plugin")+`" } } }`,
		"  prometheus = {\n", `  prometheus = { chart = { path = "`+filepath.Join(acctest.Root(t), "internal/provider/monitoring/testdata/kube-prometheus-stack")+"\" }\n",
		"gpu_exporter = {}", `gpu_exporter = { chart = { path = "`+filepath.Join(acctest.Root(t), "internal/provider/monitoring/testdata/dcgm-exporter")+`" } }`,
		"scheduler      = {}", `scheduler = { chart = { path = "`+standInVolcano(t)+`" } }`,
	).Replace(text)
	listed := regexp.MustCompile(`(?m)^(\s*)catalog\s*= "([a-z0-9-]+)"$`)
	return listed.ReplaceAllStringFunc(text, func(line string) string {
		found := listed.FindStringSubmatch(line)
		return found[1] + `chart = { path = "` + acctest.Chart(t, found[2]) + `" }`
	})
}

// TestAccProviderExample validates the one example whose cluster is made up.
func TestAccProviderExample(t *testing.T) {
	ws := acctest.New(t).Workspace("")
	text := strings.ReplaceAll(read(t, examples+"/provider/provider.tf"), `version = "~> 0.1"`, "")
	if err := os.WriteFile(filepath.Join(ws.Dir, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ws.Must(ws.Run("validate"), 0)
}

func applyAndLeave(ws *acctest.Workspace) {
	ws.Must(ws.Apply(), 0)
	ws.Settled()
	ws.Must(ws.Destroy(), 0)
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
