# What the benchmark applies: plain queues, and teams of seven objects each: namespace, quota,
# limits, a role with its binding, and two network policies.

terraform {
  required_providers {
    trainyard = { source = "trainyard/trainyard" }
  }
}

variable "teams" { type = number }
variable "queues" { type = number }
variable "kubeconfig_path" { type = string }

provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig_path }
}

resource "trainyard_training_queue" "bench" {
  for_each = toset([for i in range(var.queues) : format("bench-%04d", i)])

  name       = each.key
  weight     = 1
  capability = { "nvidia.com/gpu" = "8" }
}

resource "trainyard_team_quota" "bench" {
  for_each = toset([for i in range(var.teams) : format("bench-%04d", i)])

  name    = each.key
  quota   = { requests = { "nvidia.com/gpu" = "8", cpu = "64" } }
  limits  = { container = { default_request = { cpu = "1", memory = "4Gi" } } }
  members = { engineers = { groups = [each.key] } }
}
