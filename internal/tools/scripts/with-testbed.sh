#!/usr/bin/env bash
# with-testbed.sh COMMAND...: runs a command against a testbed of its own and ends that
# testbed whatever happens. NODES, GPU and STATE_DIR choose what it is; the command finds
# it through KUBECONFIG and TRAINYARD_KUBECONFIG.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || fail 'usage: with-testbed.sh COMMAND...'
testbed=$ROOT/bin/testbed
[ -x "$testbed" ] || fail "$testbed is missing; run make build"

state=${STATE_DIR:-$(mktemp -d)}
down() {
  local rc=$?
  trap - EXIT INT TERM
  "$testbed" down --state-dir "$state" >&2 || note "Unable to end the testbed in $state"
  if [ "$rc" -ne 0 ] && [ -n "${KEEP_LOGS:-}" ]; then
    note "The testbed's logs are in $state"
  elif [ -z "${STATE_DIR:-}" ]; then
    rm -rf "$state"
  fi
  exit "$rc"
}
trap down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$testbed" up --state-dir "$state" --nodes "${NODES:-16}" --gpu "${GPU:-h100}" >&2
export KUBECONFIG=$state/kubeconfig
export TRAINYARD_KUBECONFIG=$KUBECONFIG
"$@"
