#!/usr/bin/env bash
# Prints the path of kubectl: the one on the PATH, otherwise one built once from the
# module that the testbed pins.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

command -v kubectl || build_once kubectl k8s.io/kubernetes \
  k8s.io/kubernetes/cmd/kubectl "$ROOT/internal/testbed"
