#!/usr/bin/env bash
# Acceptance tests on a testbed of their own. RUN is a pattern of test names, TESTARGS are
# further arguments of go test.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

tf=$("$TOOLS/scripts/terraform.sh")
export TF_ACC=1 TF_ACC_TERRAFORM_PATH=$tf TRAINYARD_PROVIDER_DIR=$ROOT/bin
case $("$tf" version | head -n 1) in
  OpenTofu*) export TF_ACC_PROVIDER_HOST=registry.opentofu.org ;;
esac
note "Acceptance tests with $("$tf" version | head -n 1)"

# What people do by hand with the helm command, tests do with a real one.
TRAINYARD_HELM=$("$TOOLS/scripts/helm.sh")
export TRAINYARD_HELM

cd "$ROOT"
# One package at a time: requests are counted on the server that all share. Only the packages
# of resources have acceptance tests. They wait more than they compute: four at a time keep two
# cores busy.
# shellcheck disable=SC2086 # TESTARGS are words
exec "$TOOLS/scripts/with-testbed.sh" \
  go test -race -count=1 -p 1 -parallel 4 -timeout "${TIMEOUT:-40m}" -run "${RUN:-.}" ${TESTARGS:-} ./internal/provider/...
