#!/usr/bin/env bash
# Checks the release configuration and builds this platform's binary by it, unsigned, in
# dist/.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

goreleaser=$(build_once goreleaser github.com/goreleaser/goreleaser/v2 \
  github.com/goreleaser/goreleaser/v2 "$TOOLS/goreleaser")
cd "$ROOT"
"$goreleaser" check
"$goreleaser" build --snapshot --clean --single-target
