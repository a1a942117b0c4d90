#!/usr/bin/env bash
# chart.sh NAME: prints the folder of a real chart, taken from the Go module in which its
# project keeps it.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

case ${1:-} in
  nvidia-device-plugin) module=github.com/NVIDIA/k8s-device-plugin@v0.17.4 folder=deployments/helm/nvidia-device-plugin ;;
  *) fail "chart.sh knows no chart \"${1:-}\"" ;;
esac

# Outside of any module, so that no go.mod is read or written.
dir=$(cd / && GOFLAGS=-mod=mod go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
[ -d "$dir/$folder" ] || fail "the module $module could not be downloaded"
printf '%s\n' "$dir/$folder"
