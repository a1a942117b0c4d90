# A node group of a cluster that exists, and what their GPUs need to take jobs.
resource "trainyard_gpu_cluster" "this" {
  name = "research"

  pools = {
    h100 = {
      selector    = { "eks.amazonaws.com/nodegroup" = "h100" }
      accelerator = "h100"
      fabric      = "infiniband"
      tasks       = ["training"]
      labels      = { "example.com/cost-center" = "ml-research" }
      # NoSchedule keeps other work away, once the cluster has nodes for it without the taint.
      taints = [{ key = "nvidia.com/gpu", value = "present", effect = "PreferNoSchedule" }]
    }
  }

  device_plugins = {}
  fabric         = { nccl = { h100 = { NCCL_DEBUG = "WARN" } } }
  scheduler      = {}

  deletion_protection = false # true, the default, keeps a slip from taking the scheduler away

  lifecycle {
    # What fails is kept and goes on with the next apply; this makes the run fail.
    postcondition {
      condition     = self.ready
      error_message = self.status
    }
  }
}

output "gpus" {
  value = trainyard_gpu_cluster.this.admitted_accelerators
}
