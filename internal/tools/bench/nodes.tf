# What the benchmark of nodes applies: one cluster, whose pool are all nodes that the testbed has.

terraform {
  required_providers {
    trainyard = { source = "trainyard/trainyard" }
  }
}

variable "nodes" { type = number }
variable "kubeconfig_path" { type = string }

provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig_path }
}

resource "trainyard_gpu_cluster" "bench" {
  name                = "bench"
  deletion_protection = false

  pools = {
    h100 = {
      selector    = { "eks.amazonaws.com/nodegroup" = "h100" }
      accelerator = "h100"
      tasks       = ["training"]
      labels      = { "example.com/rack" = "r1" }
      taints      = [{ key = "nvidia.com/gpu", value = "present", effect = "NoSchedule" }]
    }
  }
}
