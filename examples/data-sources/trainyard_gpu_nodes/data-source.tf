# Every node with accelerators.
data "trainyard_gpu_nodes" "all" {}

# One pool, where a plugin of one's own advertises one more resource.
data "trainyard_gpu_nodes" "h100" {
  selector  = { "eks.amazonaws.com/nodegroup" = "h100" }
  resources = ["example.com/npu-*"]
}

# A queue that deserves a fifth of what there is.
resource "trainyard_training_queue" "research" {
  name  = "research"
  share = { percent = 20, of = data.trainyard_gpu_nodes.all.allocatable }
}

output "free_gpus_by_pool" {
  value = { for pool, sums in data.trainyard_gpu_nodes.all.by_pool : pool => lookup(sums.free, "nvidia.com/gpu", 0) }
}

output "nodes_that_need_a_look" {
  value = [for node in data.trainyard_gpu_nodes.all.nodes : node.name if !node.ready || node.unschedulable || sum(values(node.allocatable)) == 0]
}
