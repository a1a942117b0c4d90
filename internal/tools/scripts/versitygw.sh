#!/usr/bin/env bash
# Prints the path of versitygw, an S3 server over a folder, built once from its module: tests
# of buckets run against it.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

build_once versitygw github.com/versity/versitygw github.com/versity/versitygw/cmd/versitygw "$TOOLS/versitygw"
