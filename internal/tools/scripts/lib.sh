# shellcheck shell=bash
# Sourced by the scripts beside it: where things are, and how progress is printed.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
TOOLS=$ROOT/internal/tools
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/trainyard
# The version under which a build from this tree stands in the mirror.
VERSION=${VERSION:-0.1.0}
export CHECKPOINT_DISABLE=1

# What a developer's own machine configures must not change what these scripts do.
unset TF_CLI_CONFIG_FILE TF_CLI_ARGS TF_DATA_DIR TF_WORKSPACE TF_LOG TF_PLUGIN_CACHE_DIR

# heading TEXT prints a title, bold on a terminal.
heading() {
  if [ -t 1 ]; then
    printf '\n\033[1m== %s\033[0m\n\n' "$*"
  else
    printf '\n== %s\n\n' "$*"
  fi
}

# note TEXT explains on standard error what takes time; standard output stays data.
note() {
  printf '%s\n' "$*" >&2
}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# tool NAME ARG... runs a tool pinned in internal/tools/go.mod.
tool() {
  (cd "$ROOT" && go tool -modfile="$TOOLS/go.mod" "$@")
}

# build_once NAME MODULE PACKAGE DIR [LDFLAGS] prints the path of the program NAME, built
# from PACKAGE at the version at which the module in DIR requires MODULE. It is kept by
# version in the cache, so that it is compiled once a machine.
build_once() {
  local name=$1 module=$2 package=$3 dir=$4 ldflags=${5:-} version program
  version=$(cd "$dir" && go list -m -f '{{if .Replace}}{{.Replace.Version}}{{else}}{{.Version}}{{end}}' "$module")
  program=$CACHE/tools/$name-$version/$name
  if [ ! -x "$program" ]; then
    note "Building $name $version, once; this takes a few minutes"
    mkdir -p "$(dirname "$program")"
    (cd "$dir" && go build -ldflags "-s -w $ldflags" -o "$program.$$" "$package") >&2
    mv "$program.$$" "$program"
  fi
  printf '%s\n' "$program"
}
