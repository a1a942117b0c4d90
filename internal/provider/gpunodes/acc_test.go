// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package gpunodes_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

const address = "data.trainyard_gpu_nodes.this"

// machine is a node of a pool of its own, which kwok keeps ready and the scheduler leaves alone.
const machine = `{
  metadata: {name: %[1]q, labels: {trainyard.io/pool: %[1]q, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}, annotations: {kwok.x-k8s.io/node: fake}},
  spec: {taints: [{key: example.com/reserved, value: acceptance, effect: NoSchedule}]},
  status: {
    capacity: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}, allocatable: {cpu: "60", memory: 500Gi, pods: "110", nvidia.com/gpu: "8"},
    conditions: [{type: Ready, status: "True"}],
  },
}`

const job = `{
  metadata: {name: %[1]q},
  spec: {
    nodeName: %[1]q, terminationGracePeriodSeconds: 0, tolerations: [{operator: Exists}],
    containers: [{name: train, image: train, resources: {limits: {nvidia.com/gpu: "3"}, requests: {cpu: "1500m"}}}],
  },
}`

func TestAccGPUNodes(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account("data_sources"), acctest.Name("acc-node")
	bed.Make(kube.Node, "", fmt.Sprintf(machine, name))
	t.Cleanup(func() { bed.Begin(kube.Node, "", name) })
	bed.Make(kube.Pod, "default", fmt.Sprintf(job, name))
	t.Cleanup(func() { bed.Begin(kube.Pod, "default", name) })
	gpus := func(count int64) knownvalue.Check {
		return knownvalue.MapExact(map[string]knownvalue.Check{"nvidia.com/gpu": knownvalue.Int64Exact(count)})
	}
	check := func(path tfjsonpath.Path, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, path, value)
	}
	node, pool := tfjsonpath.New("nodes").AtSliceIndex(0), tfjsonpath.New("by_pool").AtMapKey(name)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      acctest.Provider(account.Kubeconfig, "") + "data \"trainyard_gpu_nodes\" \"this\" {\n  resources = [\"cpu\"]\n}\n",
				ExpectError: regexp.MustCompile(`(?s)resources\[0\].*extended\s+resource`),
			},
			{
				Config: acctest.Provider(account.Kubeconfig, "") + fmt.Sprintf("data \"trainyard_gpu_nodes\" \"this\" {\n  selector = { \"trainyard.io/pool\" = %q }\n}\n", name),
				ConfigStateChecks: []statecheck.StateCheck{
					check(tfjsonpath.New("nodes"), knownvalue.ListSizeExact(1)),
					check(node.AtMapKey("name"), knownvalue.StringExact(name)),
					check(node.AtMapKey("accelerator"), knownvalue.StringExact("NVIDIA-H100-80GB-HBM3")),
					check(node.AtMapKey("allocatable"), gpus(8)),
					check(node.AtMapKey("allocated"), gpus(3)),
					check(node.AtMapKey("free"), gpus(5)),
					check(node.AtMapKey("taints"), knownvalue.ListPartial(map[int]knownvalue.Check{0: knownvalue.MapExact(map[string]knownvalue.Check{
						"key": knownvalue.StringExact("example.com/reserved"), "value": knownvalue.StringExact("acceptance"), "effect": knownvalue.StringExact("NoSchedule"),
					})})),
					check(pool.AtMapKey("free"), gpus(5)),
					check(tfjsonpath.New("by_accelerator").AtMapKey("NVIDIA-H100-80GB-HBM3").AtMapKey("allocated"), gpus(3)),
					check(tfjsonpath.New("allocatable"), knownvalue.MapExact(map[string]knownvalue.Check{
						"cpu": knownvalue.StringExact("60"), "memory": knownvalue.StringExact("500Gi"), "nvidia.com/gpu": knownvalue.StringExact("8"),
					})),
					check(tfjsonpath.New("allocated").AtMapKey("cpu"), knownvalue.StringExact("1500m")),
				},
			},
		},
	})
}
