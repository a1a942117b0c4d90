#!/usr/bin/env bash
# Prints the path of the program that runs configurations: Terraform if it is on the
# PATH, otherwise OpenTofu, built once from its module. TRAINYARD_TF chooses instead:
# terraform, tofu, or the path of a program.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

opentofu() {
  command -v tofu || build_once tofu github.com/opentofu/opentofu \
    github.com/opentofu/opentofu/cmd/tofu "$TOOLS/tofu" \
    '-X github.com/opentofu/opentofu/version.dev=no'
}

case ${TRAINYARD_TF:-} in
  '') command -v terraform || opentofu ;;
  tofu) opentofu ;;
  terraform) command -v terraform || fail 'terraform is not on the PATH; install it, or set TRAINYARD_TF=tofu' ;;
  *) command -v "$TRAINYARD_TF" || fail "TRAINYARD_TF=$TRAINYARD_TF is not a program" ;;
esac
