# What the module makes, with the schemas of the real providers and nothing made.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
  }
  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::123456789012:role/mock" }
  }
  mock_resource "aws_launch_template" {
    defaults = { id = "lt-0123456789abcdef0", latest_version = 1 }
  }
  mock_resource "aws_eks_cluster" {
    defaults = {
      endpoint              = "https://mock.eks.amazonaws.com"
      certificate_authority = [{ data = "bW9jaw==" }]
    }
  }
}

mock_provider "trainyard" {
  mock_resource "trainyard_gpu_cluster" {
    defaults = { ready = true, status = "2 pools" }
  }
}

variables {
  name       = "pilot"
  subnet_ids = ["subnet-0aaa", "subnet-0bbb"]
  capacity   = { "nvidia.com/gpu" = "16" }
  gpu_pools = {
    h100 = { instance_type = "p5.48xlarge", accelerator = "h100", size = 2, max_size = 4, capacity_reservation_id = "cr-0ccc" }
    l4   = { instance_type = "g6.12xlarge", accelerator = "l4", size = 1, spot = true, validate = false }
  }
  teams = { vision = { queue = "p1", requests = { "nvidia.com/gpu" = "8" } } }
}

run "nodes_join_behind_the_gate" {
  assert {
    condition     = [for taint in aws_eks_node_group.gpu["h100"].taint : "${taint.key}=${taint.value}:${taint.effect}"] == ["trainyard.io/validation=pending:NO_SCHEDULE"]
    error_message = "the pool h100 has other taints"
  }
  assert {
    condition     = length(aws_eks_node_group.gpu["l4"].taint) == 0 && length(aws_eks_node_group.cpu.taint) == 0
    error_message = "a pool that is not validated has a taint"
  }
  assert {
    condition     = aws_eks_node_group.gpu["h100"].capacity_type == "CAPACITY_BLOCK" && aws_eks_node_group.gpu["l4"].capacity_type == "SPOT"
    error_message = "the GPUs come from somewhere else"
  }
  assert {
    condition     = tolist(aws_eks_node_group.gpu["h100"].subnet_ids) == tolist(["subnet-0aaa"])
    error_message = "GPU nodes are in several zones"
  }
  assert {
    condition     = aws_eks_cluster.this.vpc_config[0].endpoint_public_access == false
    error_message = "the API server is public"
  }
  assert {
    condition     = output.ready
    error_message = "the pilot is not ready"
  }
}

run "refusals" {
  command = plan
  variables {
    name                         = "Pilot_1"
    kubernetes_version           = "latest"
    subnet_ids                   = ["subnet-0aaa"]
    endpoint_public_access_cidrs = ["0.0.0.0/0"]
    gpu_pools                    = { h100 = { instance_type = "p5.48xlarge", accelerator = "h100", size = 4, max_size = 2, spot = true, capacity_reservation_id = "cr-0ccc" } }
  }
  expect_failures = [var.name, var.kubernetes_version, var.subnet_ids, var.endpoint_public_access_cidrs, var.gpu_pools]
}
