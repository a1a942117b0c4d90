// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/s3bed"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const modules = "../../modules"

// TestAccModulesOwnTests runs the tests that lie beside each module: real schemas of real
// providers, which make nothing.
func TestAccModulesOwnTests(t *testing.T) {
	bed := acctest.New(t)
	mirror, err := exec.CommandContext(t.Context(), filepath.Join(acctest.Root(t), "internal", "tools", "scripts", "module-mirror.sh"), t.TempDir()).Output()
	if err != nil {
		t.Fatalf("lay out the providers: %v", err)
	}
	for _, name := range []string{"platform", "cloud-pilot-aws"} {
		t.Run(name, func(t *testing.T) {
			ws := bed.With(t).Workspace("")
			ws.Setenv("TF_REATTACH_PROVIDERS=", "TF_CLI_CONFIG_FILE="+strings.TrimSpace(string(mirror)))
			if err := os.Remove(filepath.Join(ws.Dir, "main.tf")); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(filepath.Join(ws.Dir, "modules"), os.DirFS(modules)); err != nil {
				t.Fatal(err)
			}
			ws.Dir = filepath.Join(ws.Dir, "modules", name)
			ws.Must(ws.Run("init"), 0)
			ws.Must(ws.Run("test"), 0)
		})
	}
}

// platformText is the module platform on nodes of its own.
func platformText(t *testing.T, owner, name, fields string) string {
	t.Helper()
	module, err := filepath.Abs(modules + "/platform")
	if err != nil {
		t.Fatal(err)
	}
	return acctest.Owned(owner) + fmt.Sprintf(`
module "platform" {
  source = %[1]q
  platform = {
    name                = %[2]q
    capacity            = { "nvidia.com/gpu" = "128", cpu = "1536", memory = "16Ti" }
    deletion_protection = false
    pools = {
      h100 = { selector = { group = %[2]q }, accelerator = "h100", fabric = "infiniband", tasks = ["training"] }
    }
%[3]s
  }
}

output "all" {
  value = module.platform
}
`, module, name, fields)
}

func TestAccPlatformModule(t *testing.T) {
	bed := acctest.New(t)
	owner, name := acctest.Name("acc-platform"), acctest.Name("acc-platform")
	bed.Sweep(owner)
	bed.Make(kube.Node, "", fmt.Sprintf("{metadata: {name: %[1]q, labels: {group: %[1]q}, annotations: {kwok.x-k8s.io/node: fake}}}", name))
	bed.Clean(kube.Node, "", name)
	fields := fmt.Sprintf(`
    scheduler = { chart = { path = %[1]q } }
    queues    = { %[2]s-p0 = { percent = 60, priority = 100, reclaimable = false }, %[2]s-p1 = { percent = 40, priority = 10 } }
    teams     = { %[2]s-vision = { queue = "%[2]s-p1", requests = { "nvidia.com/gpu" = "32" }, engineers = ["ml-vision"] } }
`, standInVolcano(t), name)
	ws := bed.Workspace(platformText(t, owner, name, fields))
	ws.Must(ws.Run("get"), 0)
	ws.Must(ws.Apply(), 0)
	ws.Settled()
	if labels := bed.Get(kube.Node, "", name).GetLabels(); labels["trainyard.io/pool"] != "h100" {
		t.Errorf("the node has the labels %v", labels)
	}
	if queue := bed.Get(kube.Queue, "", name+"-p0"); queue == nil {
		t.Error("there is no queue p0")
	}

	t.Log("what cannot be is refused with the reason")
	for given, want := range map[string]string{
		`preset = "huge"`: `platform.preset is "huge": use small`,
		`queues = { a = { percent = 60, priority = 1 }, b = { percent = 50, priority = 2 } }`:                         "share more than 100 percent: 110",
		`queues = { a = { percent = 60, priority = 1 } }, teams = { x = { queue = "p0", requests = { cpu = "1" } } }`: `name a queue that there is not: x (p0). Queues are a.`,
	} {
		ws.Write(platformText(t, owner, name, strings.ReplaceAll(given, "}, teams", "}\n    teams")))
		result := ws.Must(ws.Plan(), acctest.Failed)
		if !strings.Contains(result.Text, want) {
			t.Errorf("%q is not in: %s", want, result.Text)
		}
	}
	ws.Write(platformText(t, owner, name, fields))
	ws.Must(ws.Destroy(), 0)
}

// TestAccPlatformExample plans what the demo applies: its pools are all nodes of a testbed, and
// other tests have use for them.
func TestAccPlatformExample(t *testing.T) {
	bed := acctest.New(t)
	ws := bed.ProgramWorkspace("") // which gets the server's keys from its environment
	for _, folder := range []string{"examples/platform", "modules"} {
		if err := os.CopyFS(filepath.Join(ws.Dir, folder), os.DirFS(filepath.Join(acctest.Root(t), folder))); err != nil {
			t.Fatal(err)
		}
	}
	ws.Dir = filepath.Join(ws.Dir, "examples", "platform")
	server := s3bed.Start(t)
	charts := map[string]string{"nvidia_device_plugin": acctest.Chart(t, "nvidia-device-plugin"), "volcano": standInVolcano(t)}
	for name, chart := range map[string]string{"prometheus": "kube-prometheus-stack", "gpu_exporter": "dcgm-exporter"} {
		charts[name] = filepath.Join(acctest.Root(t), "internal/provider/monitoring/testdata", chart)
	}
	text, err := json.Marshal(charts)
	if err != nil {
		t.Fatal(err)
	}
	ws.Setenv("TF_VAR_kubeconfig_path="+bed.Kubeconfig, "TF_VAR_charts="+string(text), "TF_VAR_s3_endpoint="+server.URL,
		"AWS_ACCESS_KEY_ID="+s3bed.AccessKey, "AWS_SECRET_ACCESS_KEY="+s3bed.SecretKey)
	ws.Must(ws.Run("get"), 0)
	planned := ws.Must(ws.Plan(), acctest.Changes)
	for _, want := range []string{"create PrometheusRule monitoring/trainyard-gpu-alerts", "bucket checkpoints: create", "Plan: 10 to add, 0 to change, 0 to destroy"} {
		if !strings.Contains(planned.Text, want) {
			t.Errorf("%q is not in: %s", want, planned.Text)
		}
	}
}
