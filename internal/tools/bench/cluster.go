// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// identity is the service account and flow schema of the provider under measurement. With
// a flow schema of its own the API server counts its requests apart from everybody else's.
const identity = "trainyard-bench"

const manifests = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: trainyard-bench, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: trainyard-bench}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: trainyard-bench, namespace: default}]
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: trainyard-bench}
spec:
  matchingPrecedence: 50
  priorityLevelConfiguration: {name: workload-high}
  distinguisherMethod: {type: ByUser}
  rules:
    - subjects: [{kind: ServiceAccount, serviceAccount: {name: trainyard-bench, namespace: default}}]
      resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true}]
      nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]
`

// cluster is the testbed as its administrator sees it, named by KUBECONFIG.
type cluster struct{ kubectl string }

// run runs kubectl, with input on its standard input.
func (c *cluster) run(ctx context.Context, input string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, c.kubectl, args...)
	command.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// identify makes the identity and writes a kubeconfig with its token.
func (c *cluster) identify(ctx context.Context, kubeconfig string) error {
	if _, err := c.run(ctx, manifests, "apply", "-f", "-"); err != nil {
		return err
	}
	token, err := c.run(ctx, "", "create", "token", identity, "--namespace=default", "--duration=6h")
	if err != nil {
		return err
	}
	config, err := c.run(ctx, "", "config", "view", "--raw", "--flatten", "--minify")
	if err != nil {
		return err
	}
	if err := os.WriteFile(kubeconfig, []byte(config), 0o600); err != nil {
		return err
	}
	edits := [][]string{
		{"config", "set-credentials", identity, "--token=" + strings.TrimSpace(token)},
		{"config", "set-context", "--current", "--user=" + identity},
	}
	for _, edit := range edits {
		if _, err := c.run(ctx, "", append(edit, "--kubeconfig="+kubeconfig)...); err != nil {
			return err
		}
	}
	return nil
}

// requests returns how many requests of the identity the API server has dispatched.
func (c *cluster) requests(ctx context.Context) (int, error) {
	metrics, err := c.run(ctx, "", "get", "--raw", "/metrics")
	if err != nil {
		return 0, err
	}
	return dispatched(metrics, identity)
}

// dispatched sums a flow schema's dispatched requests in the text form of the metrics.
func dispatched(metrics, flowSchema string) (int, error) {
	sum := 0
	for line := range strings.SplitSeq(metrics, "\n") {
		labels, found := strings.CutPrefix(line, "apiserver_flowcontrol_dispatched_requests_total{")
		if !found || !strings.Contains(labels, `flow_schema="`+flowSchema+`"`) {
			continue
		}
		text := labels[strings.LastIndexByte(labels, ' ')+1:]
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, fmt.Errorf("unable to read the metric %q: %w", line, err)
		}
		sum += int(value)
	}
	return sum, nil
}
