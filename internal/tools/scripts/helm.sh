#!/usr/bin/env bash
# Prints the path of helm, built once from its module: what tests do by hand with the helm
# command, and the releases that it made, are those of one version.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

build_once helm helm.sh/helm/v3 helm.sh/helm/v3/cmd/helm "$TOOLS/helm" \
  '-X helm.sh/helm/v3/internal/version.version=v3.21.4'
