#!/usr/bin/env bash
# chart.sh NAME: prints the folder of a real chart, taken from the Go module in which its
# project keeps it.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

case ${1:-} in
  nvidia-device-plugin) module=github.com/NVIDIA/k8s-device-plugin@v0.17.4 folder=deployments/helm/nvidia-device-plugin ;;
  gpu-operator) module=github.com/NVIDIA/gpu-operator@v0.0.0-20250917190837-d73a0086a6ba folder=deployments/gpu-operator ;;
  kueue) module=sigs.k8s.io/kueue@v0.17.0 folder=charts/kueue ;;
  kwok) module=sigs.k8s.io/kwok@v0.8.0 folder=charts/kwok ;;
  metallb) module=go.universe.tf/metallb@v0.16.2 folder=charts/metallb ;;
  cert-manager) module=github.com/cert-manager/cert-manager@v1.21.2 folder=deploy/charts/cert-manager ;;
  kubeflow-trainer) module=github.com/kubeflow/trainer/v2@v2.0.0 folder=charts/kubeflow-trainer ;;
  *) fail "chart.sh knows no chart \"${1:-}\"" ;;
esac

# Outside of any module, so that no go.mod is read or written.
dir=$(cd / && GOFLAGS=-mod=mod go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
[ -d "$dir/$folder" ] || fail "the module $module could not be downloaded"
printf '%s\n' "$dir/$folder"
