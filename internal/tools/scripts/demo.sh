#!/usr/bin/env bash
# demo.sh [down]: applies examples/quickstart and examples/components to a testbed, changes
# things by hand behind Terraform's back, and shows how the plan sees that and the next apply
# repairs it. What it makes stands until `demo.sh down`.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

# What the hand edits touch, as examples/quickstart names it.
queue=p0
team=vision
policy=trainyard-default-deny

daemons=nvidia-device-plugin

demo=$CACHE/demo
work=$demo/quickstart
state=$demo/testbed
log=$demo/terraform.log
testbed=$ROOT/bin/testbed

use_testbed() {
  tf=$("$TOOLS/scripts/terraform.sh")
  export KUBECONFIG=$state/kubeconfig
  export TRAINYARD_KUBECONFIG=$KUBECONFIG TF_VAR_kubeconfig_path=$KUBECONFIG
  export TF_IN_AUTOMATION=1 TF_CLI_CONFIG_FILE=$demo/mirror/cli.tfrc
  # The device plugin's own chart, and a stand-in for Volcano's, which is in no Go module.
  plugin=$("$TOOLS/scripts/chart.sh" nvidia-device-plugin)
  export TF_VAR_charts="{\"nvidia_device_plugin\":\"$plugin\",\"volcano\":\"$TOOLS/demo/volcano-standin\"}"
  # Colours are for terminals.
  colour=()
  [ -t 1 ] || colour=(-no-color)
}

# terraform COMMAND ARG... in the working copy of the example.
terraform() {
  "$tf" -chdir="$work" "$@"
}

# quietly COMMAND...: shows the output only if the command fails.
quietly() {
  "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "\"$*\" failed"; }
}

# say COMMAND: prints a command line as a person types it, then runs it.
say() {
  printf '$ %s\n' "$1"
  eval "$1"
}

# plan WANT: shows a plan, and fails unless its exit code is WANT (0 empty, 2 changes).
plan() {
  local want=$1 rc=0
  printf '$ %s plan -detailed-exitcode\n' "${tf##*/}"
  terraform plan -input=false -detailed-exitcode "${colour[@]}" >"$log" 2>&1 || rc=$?
  # From where it says what it will do.
  sed -n '/^Terraform used the\|^OpenTofu used the\|^No changes/,$p' "$log"
  [ "$rc" -ne 1 ] || cat "$log"
  printf '(exit code %d)\n' "$rc"
  [ "$rc" -eq "$want" ] || fail "the plan should have ended with exit code $want"
}

# apply: applies, and shows what was done rather than every attribute of it.
apply() {
  printf '$ %s apply\n' "${tf##*/}"
  quietly terraform apply -input=false -auto-approve -no-color
  grep -E '^Plan:|: (Creation|Modifications|Destruction) complete|^Apply complete' "$log"
}

# kubectl ARG... as somebody who does not know about Terraform.
kubectl() {
  "$kubectl" "$@"
}

table() {
  local resource=$1 columns=$2
  kubectl get "$resource" --all-namespaces -l app.kubernetes.io/managed-by=trainyard -o custom-columns="$columns"
  echo
}

what_stands() {
  table queues.scheduling.volcano.sh \
    'QUEUE:.metadata.name,WEIGHT:.spec.weight,DESERVED GPUS:.spec.deserved.nvidia\.com/gpu,CAPABILITY GPUS:.spec.capability.nvidia\.com/gpu,STATE:.status.state'
  table resourcequotas \
    'TEAM:.metadata.namespace,QUOTA GPUS:.spec.hard.requests\.nvidia\.com/gpu,QUOTA CPU:.spec.hard.requests\.cpu,QUOTA MEMORY:.spec.hard.requests\.memory'
  kubectl get nodes --no-headers -o custom-columns='A:.metadata.labels.nvidia\.com/gpu\.product,B:.status.allocatable.nvidia\.com/gpu' |
    awk '{ nodes[$1]++; gpus[$1] += $2 } END { for (p in nodes) printf "NODES  %d with %d GPUs (%s)\n", nodes[p], gpus[p], p }'
}

up() {
  kubectl=$("$TOOLS/scripts/kubectl.sh")
  # State that outlived its cluster describes nothing.
  [ -f "$state/testbed.json" ] || rm -rf "$demo"
  mkdir -p "$demo"
  heading 'A Kubernetes control plane with 16 simulated GPU nodes'
  "$testbed" up --state-dir "$state" --nodes 16 --gpu h100 >"$log"
  sed -n '/^API server/,/^nodes/p' "$log"

  use_testbed
  rm -rf "$demo/mirror"
  "$TOOLS/scripts/mirror.sh" "$demo/mirror" >/dev/null
  components
  teams
  heading 'What stands'
  what_stands
  printf '\nLook around:      export KUBECONFIG=%s\nRemove it all:    make demo-down\n' "$KUBECONFIG"
}

# enter EXAMPLE: makes a working copy of an example.
enter() {
  work=$demo/$1
  rm -rf "$work/.terraform" "$work/.terraform.lock.hcl"
  mkdir -p "$work"
  cp "$ROOT/examples/$1"/*.tf "$work/"
  quietly terraform init -input=false
}

components() {
  enter components
  heading 'A device plugin and a scheduler, from their charts'
  apply
  terraform output "${colour[@]}" status
  heading 'Somebody edits a value of a chart by hand'
  say "kubectl set env daemonset -n $daemons $daemons FAIL_ON_INIT_ERROR=false"
  heading 'The plan says what, where and who'
  plan 2
  heading 'Apply repairs it'
  apply
  plan 0
}

teams() {
  enter quickstart
  heading 'Three priority queues and two teams'
  apply
  heading 'The plan is empty'
  plan 0

  heading 'Somebody edits by hand'
  say "kubectl patch queue $queue --type merge -p '{\"spec\":{\"capability\":{\"nvidia.com/gpu\":\"40\"}}}'"
  say "kubectl delete networkpolicy -n $team $policy"
  heading 'The plan says what, where and who'
  plan 2

  heading 'Apply repairs it'
  apply
  plan 0
}

down() {
  if "$testbed" status --state-dir "$state" >/dev/null 2>&1; then
    use_testbed
    heading 'Destroying the platform'
    for example in quickstart components; do
      work=$demo/$example
      [ -f "$work/terraform.tfstate" ] || continue
      # What cannot be destroyed goes with its cluster.
      terraform destroy -input=false -auto-approve -no-color >"$log" 2>&1 || tail -n 20 "$log" >&2
      grep -E '^Destroy complete' "$log" || true
    done
  fi
  heading 'Ending the testbed'
  "$testbed" down --state-dir "$state"
  rm -rf "$demo"
}

case ${1:-up} in
  up) up ;;
  down) down ;;
  *) fail 'usage: demo.sh [up|down]' ;;
esac
