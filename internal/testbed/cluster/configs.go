// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"strings"

	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	heartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
)

const (
	auditPolicyFile = "audit-policy.yaml"
	kwokConfigFile  = "kwok.yaml"
)

// auditPolicy records who asked for what, once per request and without bodies,
// which may hold secrets.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

// writeConfigs writes the files that the programs read.
func (p plan) writeConfigs() error {
	files := map[string]string{
		auditPolicyFile:   auditPolicy,
		kwokConfigFile:    p.kwokStages(),
		schedulerConfFile: string(schedulerConf),
	}
	for name, text := range files {
		if err := os.WriteFile(p.path(configDir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("cannot write a configuration: %w", err)
		}
	}
	return nil
}

// kwokStages are kwok's own rules for how nodes and pods go through life, from
// the module that it is built from.
func (p plan) kwokStages() string {
	stages := []string{nodefast.DefaultNodeInit, podfast.DefaultPodReady, podfast.DefaultPodComplete, podfast.DefaultPodDelete}
	if !p.withoutLeases() {
		stages = append(stages, heartbeat.DefaultNodeHeartbeatWithLease)
	}
	return strings.Join(stages, "\n---\n")
}
