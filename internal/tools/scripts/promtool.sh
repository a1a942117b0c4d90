#!/usr/bin/env bash
# Prints the path of promtool, built once from the module of prometheus: it checks rules, and
# runs them on synthetic series with Prometheus's own engine.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

GOFLAGS="$(go env GOFLAGS) -tags=remove_all_sd"
export GOFLAGS
build_once promtool github.com/prometheus/prometheus github.com/prometheus/prometheus/cmd/promtool \
  "$TOOLS/prometheus" '-X github.com/prometheus/common/version.Version=3.16.0'
