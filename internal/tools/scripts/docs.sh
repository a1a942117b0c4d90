#!/usr/bin/env bash
# Generates docs/ from the provider's schema, templates/ and examples/. With --check it
# then fails if what is committed differs.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tf=$("$TOOLS/scripts/terraform.sh")
TF_CLI_CONFIG_FILE=$("$TOOLS/scripts/mirror.sh" "$work/mirror")
export TF_CLI_CONFIG_FILE

cat >"$work/main.tf" <<'TF'
terraform {
  required_providers {
    trainyard = { source = "trainyard/trainyard" }
  }
}
TF
"$tf" -chdir="$work" init -backend=false -input=false >"$work/init.log" || { cat "$work/init.log" >&2; fail 'init failed'; }
# The generator knows a provider by its short name, whichever registry it is filed under. Only
# some versions list identities, and the docs shall not depend on who generates them.
"$tf" -chdir="$work" providers schema -json |
  sed -E 's#"registry\.[a-z.]+/trainyard/trainyard"#"trainyard"#; s#"resource_identity_schemas"#"identities"#' >"$work/schema.json"

tool tfplugindocs generate \
  --provider-dir "$ROOT" --provider-name trainyard --rendered-provider-name Trainyard \
  --providers-schema "$work/schema.json"

if [ "${1:-}" = --check ]; then
  changed=$(git -C "$ROOT" status --porcelain -- docs)
  if [ -n "$changed" ]; then
    git -C "$ROOT" --no-pager diff -- docs
    fail "docs/ is not what the schema and templates give; run make generate and commit:"$'\n'"$changed"
  fi
fi
