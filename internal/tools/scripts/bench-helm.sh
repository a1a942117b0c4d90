#!/usr/bin/env bash
# bench-helm.sh: measures releases of the NVIDIA device plugin's chart on a testbed of its
# own, and prints one line of JSON. RELEASES, REVISIONS and RUNS change its size.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tf=$("$TOOLS/scripts/terraform.sh")
kubectl=$("$TOOLS/scripts/kubectl.sh")
config=$("$TOOLS/scripts/mirror.sh" "$work/mirror")
chart=$("$TOOLS/scripts/chart.sh" nvidia-device-plugin)
(cd "$TOOLS" && go build -o "$work/bench" ./bench)

# Few nodes: what is measured is not how fast pods roll over.
NODES=${NODES:-2} "$TOOLS/scripts/with-testbed.sh" "$work/bench" --chart "$chart" \
  --releases "${RELEASES:-20}" --revisions "${REVISIONS:-50}" --runs "${RUNS:-5}" \
  --terraform "$tf" --kubectl "$kubectl" --cli-config "$config"
