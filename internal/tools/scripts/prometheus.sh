#!/usr/bin/env bash
# Prints the path of prometheus, built once from its module: the engine that the tests of
# internal/monitoring give rules to. It finds targets by configuration alone (remove_all_sd),
# and so leaves out the clients of thirty clouds.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

GOFLAGS="$(go env GOFLAGS) -tags=remove_all_sd"
export GOFLAGS
build_once prometheus github.com/prometheus/prometheus github.com/prometheus/prometheus/cmd/prometheus \
  "$TOOLS/prometheus" '-X github.com/prometheus/common/version.Version=3.16.0'
