#!/usr/bin/env bash
# Prints the path of alertmanager, built once from its module. Later versions embed pages that
# only npm can make; 0.31 is the last whose module has them.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

build_once alertmanager github.com/prometheus/alertmanager github.com/prometheus/alertmanager/cmd/alertmanager \
  "$TOOLS/alertmanager" '-X github.com/prometheus/common/version.Version=0.31.1'
