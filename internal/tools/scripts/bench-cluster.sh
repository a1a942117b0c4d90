#!/usr/bin/env bash
# bench-cluster.sh [NODES]: measures the pools of a cluster of many nodes on a testbed of its
# own, and prints one line of JSON. RUNS changes how often it plans.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

nodes=${1:-5000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tf=$("$TOOLS/scripts/terraform.sh")
kubectl=$("$TOOLS/scripts/kubectl.sh")
config=$("$TOOLS/scripts/mirror.sh" "$work/mirror")
(cd "$TOOLS" && go build -o "$work/bench" ./bench)

NODES=$nodes "$TOOLS/scripts/with-testbed.sh" "$work/bench" --nodes "$nodes" --runs "${RUNS:-3}" \
  --terraform "$tf" --kubectl "$kubectl" --cli-config "$config"
