#!/usr/bin/env bash
# mirror.sh DIR: lays out bin/terraform-provider-trainyard as a provider mirror in DIR, and
# prints the path of a CLI configuration that installs from there and from nowhere else,
# so that `init` works without a network.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

dir=${1:?usage: mirror.sh DIR}
provider=$ROOT/bin/terraform-provider-trainyard
[ -x "$provider" ] || fail "$provider is missing; run make build"

platform=$(go env GOOS)_$(go env GOARCH)
for host in registry.terraform.io registry.opentofu.org; do
  package=$dir/$host/trainyard/trainyard/$VERSION/$platform
  mkdir -p "$package"
  cp -f "$provider" "$package/terraform-provider-trainyard_v$VERSION"
done

cat >"$dir/cli.tfrc" <<TFRC
disable_checkpoint = true

provider_installation {
  filesystem_mirror {
    path = "$dir"
  }
}
TFRC
printf '%s\n' "$dir/cli.tfrc"
