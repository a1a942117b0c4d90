#!/usr/bin/env bash
# module-mirror.sh DIR: what mirror.sh does, with the AWS provider beside ours, whose schema the
# tests of modules need. It is taken from where a machine has it (TRAINYARD_AWS_PROVIDER names the
# file); a machine that has none downloads it from the registry.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

dir=${1:?usage: module-mirror.sh DIR}
version=5.100.0
config=$("$TOOLS/scripts/mirror.sh" "$dir")
found=${TRAINYARD_AWS_PROVIDER:-$(find /opt /usr/local /usr/share "$HOME" -path "*/hashicorp/aws/$version/*" \
  -name "terraform-provider-aws_v${version}*" -type f -print -quit 2>/dev/null || true)}
if [ -n "$found" ]; then
  platform=$(go env GOOS)_$(go env GOARCH)
  for host in registry.terraform.io registry.opentofu.org; do
    package=$dir/$host/hashicorp/aws/$version/$platform
    mkdir -p "$package"
    ln -sfn "$found" "$package/terraform-provider-aws_v$version"
  done
else
  sed -i 's|^  filesystem_mirror {|  direct {\n    include = ["hashicorp/aws"]\n  }\n&|' "$config"
fi
printf '%s\n' "$config"
