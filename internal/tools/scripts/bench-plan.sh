#!/usr/bin/env bash
# bench-plan.sh [TEAMS [QUEUES]]: measures the provider on a testbed of its own, and prints
# one line of JSON.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

teams=${1:-1000}
queues=${2:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tf=$("$TOOLS/scripts/terraform.sh")
kubectl=$("$TOOLS/scripts/kubectl.sh")
config=$("$TOOLS/scripts/mirror.sh" "$work/mirror")
(cd "$TOOLS" && go build -o "$work/bench" ./bench)

"$TOOLS/scripts/with-testbed.sh" "$work/bench" \
  --teams "$teams" --queues "$queues" --runs "${RUNS:-3}" \
  --terraform "$tf" --kubectl "$kubectl" --cli-config "$config"
