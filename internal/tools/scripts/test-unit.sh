#!/usr/bin/env bash
# Unit tests of every module, with the race detector where the provider's code runs.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

# A developer's own acceptance settings would turn unit tests into something else.
unset TF_ACC KUBECONFIG TRAINYARD_KUBECONFIG

heading 'Programs that unit tests run'
# Compiled first, outside the tests' time limit.
for program in versitygw promtool prometheus alertmanager; do
  "$TOOLS/scripts/$program.sh"
done
heading 'Unit tests: provider'
(cd "$ROOT" && go test -race ./...)
heading 'Unit tests: testbed'
# Its lifecycle test starts a control plane: compile that first, outside the test's time limit.
(cd "$ROOT/internal/testbed" && export CGO_ENABLED=0 && go run -trimpath ./cmd/testbed build && go test -trimpath ./...)
heading 'Unit tests: tools'
(cd "$TOOLS" && go test ./...)
