#!/usr/bin/env bash
# demo.sh [down]: applies examples/platform to a testbed, changes a thing of each kind by hand
# behind Terraform's back, and shows how the plan sees that and the next apply repairs it. What it
# makes stands until `demo.sh down`.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

demo=$CACHE/demo
work=$demo/examples/platform
state=$demo/testbed
log=$demo/terraform.log
testbed=$ROOT/bin/testbed
standins=$ROOT/internal/provider/monitoring/testdata
s3=$demo/s3
s3_port=17070

use_testbed() {
  tf=$("$TOOLS/scripts/terraform.sh")
  export KUBECONFIG=$state/kubeconfig
  export TRAINYARD_KUBECONFIG=$KUBECONFIG TF_VAR_kubeconfig_path=$KUBECONFIG
  export TF_IN_AUTOMATION=1 TF_CLI_CONFIG_FILE=$demo/mirror/cli.tfrc
  export AWS_ACCESS_KEY_ID=demo AWS_SECRET_ACCESS_KEY=demo-secret-key
  # The device plugin's own chart, and stand-ins for those that are in no Go module.
  export TF_VAR_charts TF_VAR_s3_endpoint=http://127.0.0.1:$s3_port
  TF_VAR_charts=$(printf '{"nvidia_device_plugin":"%s","volcano":"%s","prometheus":"%s","gpu_exporter":"%s"}' \
    "$("$TOOLS/scripts/chart.sh" nvidia-device-plugin)" "$TOOLS/demo/volcano-standin" \
    "$standins/kube-prometheus-stack" "$standins/dcgm-exporter")
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
  shift 2
  kubectl get "$resource" --all-namespaces -o custom-columns="$columns" "$@"
  echo
}

what_stands() {
  table nodes 'POOL:.metadata.labels.trainyard\.io/pool,NODE:.metadata.name,ACCELERATOR:.metadata.labels.trainyard\.io/accelerator,GPUS:.status.allocatable.nvidia\.com/gpu,FABRIC:.metadata.labels.trainyard\.io/fabric'
  table queues.scheduling.volcano.sh \
    'QUEUE:.metadata.name,WEIGHT:.spec.weight,DESERVED GPUS:.spec.deserved.nvidia\.com/gpu,STATE:.status.state' -l app.kubernetes.io/managed-by=trainyard
  table resourcequotas \
    'TEAM:.metadata.namespace,QUOTA GPUS:.spec.hard.requests\.nvidia\.com/gpu,QUOTA CPU:.spec.hard.requests\.cpu,QUOTA MEMORY:.spec.hard.requests\.memory' -l app.kubernetes.io/managed-by=trainyard
  table storageclasses 'STORAGE CLASS:.metadata.name,PROVISIONER:.provisioner,BINDING:.volumeBindingMode'
  table daemonsets,deployments 'KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name' -l trainyard.io/owner=platform
  printf 'BUCKETS\n'
  ls "$s3/data"
  terraform output "${colour[@]}"
}

# start_s3 starts an S3 server over a folder, as a site's own would be.
start_s3() {
  [ -f "$s3/pid" ] && kill -0 "$(cat "$s3/pid")" 2>/dev/null && return
  mkdir -p "$s3"/{data,sidecar,versions}
  ROOT_ACCESS_KEY=demo ROOT_SECRET_KEY=demo-secret-key "$("$TOOLS/scripts/versitygw.sh")" \
    --port "127.0.0.1:$s3_port" --quiet posix --sidecar "$s3/sidecar" --versioning-dir "$s3/versions" "$s3/data" >"$s3/log" 2>&1 &
  echo $! >"$s3/pid"
}

stop_s3() {
  [ -f "$s3/pid" ] || return 0
  kill "$(cat "$s3/pid")" 2>/dev/null || true
}

# enter makes a working copy of the example, with the modules where it looks for them.
enter() {
  rm -rf "$work/.terraform" "$work/.terraform.lock.hcl" "$demo/modules"
  mkdir -p "$work"
  cp "$ROOT/examples/platform"/*.tf "$work/"
  cp -R "$ROOT/modules" "$demo/modules"
  quietly terraform init -input=false
}

up() {
  kubectl=$("$TOOLS/scripts/kubectl.sh")
  # State that outlived its cluster describes nothing.
  [ -f "$state/testbed.json" ] || rm -rf "$demo"
  mkdir -p "$demo"
  heading 'A Kubernetes control plane with simulated nodes: 8 of H100, 4 of A100, 4 without GPUs'
  "$testbed" up --state-dir "$state" --pool h100=8 --pool a100=4 --pool cpu=4 >"$log"
  sed -n '/^API server/,/^nodes/p' "$log"
  start_s3
  use_testbed
  rm -rf "$demo/mirror"
  "$TOOLS/scripts/mirror.sh" "$demo/mirror" >/dev/null
  enter

  heading 'A platform from one object: pools, charts, storage, monitoring, queues, teams'
  apply
  heading 'The plan is empty'
  plan 0

  heading 'Somebody edits by hand: a node, a chart, an alert, a bucket, a queue, a team'
  say "kubectl taint node h100-000 nvidia.com/gpu-"
  say "kubectl patch configmap -n volcano-system volcano-scheduler-configmap --type merge -p '{\"data\":{\"volcano-scheduler.conf\":\"actions: allocate\"}}'"
  say "kubectl delete prometheusrule -n monitoring trainyard-gpu-alerts"
  say "rm -r $s3/data/checkpoints"
  say "kubectl patch queue p1 --type merge -p '{\"spec\":{\"deserved\":{\"nvidia.com/gpu\":\"90\"}}}'"
  say "kubectl delete networkpolicy -n vision trainyard-default-deny"
  heading 'The plan says what, where and who'
  plan 2
  heading 'Apply repairs it'
  apply
  plan 0

  heading 'What stands'
  what_stands
  printf '\nLook around:      export KUBECONFIG=%s\nRemove it all:    make demo-down\n' "$KUBECONFIG"
}

down() {
  if "$testbed" status --state-dir "$state" >/dev/null 2>&1; then
    use_testbed
    start_s3
    heading 'Destroying the platform'
    if [ -f "$work/terraform.tfstate" ]; then
      # What cannot be destroyed goes with its cluster.
      terraform destroy -input=false -auto-approve -no-color >"$log" 2>&1 || tail -n 20 "$log" >&2
      grep -E '^Destroy complete' "$log" || true
    fi
  fi
  heading 'Ending the testbed'
  "$testbed" down --state-dir "$state"
  stop_s3
  rm -rf "$demo"
}

case ${1:-up} in
  up) up ;;
  down) down ;;
  *) fail 'usage: demo.sh [up|down]' ;;
esac
