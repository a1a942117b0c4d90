// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/volcano"
)

const (
	schedulerConfFile = "volcano-scheduler.conf"

	vcScheduler  = "vc-scheduler"
	vcController = "vc-controller-manager"
	vcWebhook    = "vc-webhook-manager"
	standin      = "volcano-standin"
)

// schedulerConf makes Volcano's scheduler divide by queue capacity, with the
// hierarchy that parents need, and reclaim what other queues borrowed.
//
//go:embed volcano-scheduler.conf
var schedulerConf []byte

// volcanoPrograms are the programs found in the folder, by name; an empty
// folder name gives none.
func volcanoPrograms(dir string) (map[string]string, error) {
	programs := map[string]string{}
	if dir == "" {
		return programs, nil
	}
	for _, name := range []string{vcScheduler, vcController, vcWebhook} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			programs[name] = path
		}
	}
	if len(programs) == 0 {
		return nil, fmt.Errorf("VOLCANO_BIN=%s holds none of %s", dir, strings.Join([]string{vcScheduler, vcController, vcWebhook}, ", "))
	}
	return programs, nil
}

// volcanoDefinitions is where the definitions of the real programs' version may
// lie; empty without real programs.
func (p plan) volcanoDefinitions() string {
	if p.state.VolcanoBin == "" {
		return ""
	}
	return filepath.Join(p.state.VolcanoBin, "crd")
}

// volcano are the Volcano processes: those whose programs are at hand, and the
// stand-in where the real controllers are not.
func (p plan) volcano() []process.Spec {
	var specs []process.Spec
	kubeconfig := "--kubeconfig=" + p.kubeconfig("volcano")
	if p.has(vcController) {
		specs = append(specs, p.spec(vcController, kubeconfig, "--leader-elect=false"))
	} else {
		specs = append(specs, p.spec(standin, "standin", kubeconfig))
	}
	if p.has(vcScheduler) {
		specs = append(specs, p.spec(vcScheduler, kubeconfig,
			"--scheduler-conf="+p.path(configDir, schedulerConfFile), "--leader-elect=false"))
	}
	return specs
}

func (p plan) webhookManager() process.Spec {
	return p.spec(vcWebhook,
		"--kubeconfig="+p.kubeconfig("volcano"),
		"--listen-address=127.0.0.1", "--port="+p.port(portWebhook),
		"--webhook-url="+p.webhookURL(),
		"--enabled-admission="+volcano.WebhookPaths(),
		"--ca-cert-file="+p.pki("ca.crt"),
		"--tls-cert-file="+p.pki("volcano-webhook.crt"), "--tls-private-key-file="+p.pki("volcano-webhook.key"),
	)
}

func (p plan) webhookURL() string { return "https://" + loopback(p.state.Ports[portWebhook]) }

func (p plan) has(program string) bool { return p.binaries[program] != "" }
