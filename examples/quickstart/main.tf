# Three priority queues share a cluster of GPUs at 20, 50 and 30 percent; two teams work in
# them. `make demo` applies this to a testbed.

terraform {
  required_version = ">= 1.8"
  required_providers {
    trainyard = {
      source = "trainyard/trainyard"
    }
  }
}

variable "kubeconfig_path" {
  description = "Kubeconfig of the cluster."
  type        = string
  default     = "~/.kube/config"
  nullable    = false
}

provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig_path }
  owner   = "quickstart"
}

locals {
  # What the cluster has: 16 nodes with 8 GPUs.
  cluster = { "nvidia.com/gpu" = "128", cpu = "1536", memory = "16Ti" }

  queues = {
    p0 = { percent = 20, priority = 100000, guaranteed_gpus = 8, most_gpus = 64, what = "production retraining" }
    p1 = { percent = 50, priority = 10000, guaranteed_gpus = 0, most_gpus = 128, what = "research" }
    p2 = { percent = 30, priority = 1000, guaranteed_gpus = 0, most_gpus = 128, what = "experiments" }
  }
}

resource "trainyard_training_queue" "this" {
  for_each = local.queues

  name        = each.key
  weight      = each.value.percent
  share       = { percent = each.value.percent, of = local.cluster }
  capability  = { "nvidia.com/gpu" = each.value.most_gpus }
  guarantee   = each.value.guaranteed_gpus > 0 ? { "nvidia.com/gpu" = each.value.guaranteed_gpus } : null
  reclaimable = each.key != "p0"

  priority_class = {
    name        = "training-${each.key}"
    value       = each.value.priority
    description = "Jobs for ${each.value.what}."
  }
}

resource "trainyard_team_quota" "vision" {
  name        = "vision"
  cost_center = "cv-1200"
  queue       = trainyard_training_queue.this["p1"].name

  quota = {
    requests = { "nvidia.com/gpu" = "32", cpu = "384", memory = "4Ti" }
    storage  = { total = "50Ti", claims = 40 }
  }

  limits = {
    container = {
      default         = { cpu = "8", memory = "64Gi" }
      default_request = { cpu = "4", memory = "32Gi" }
    }
  }

  members = {
    admins    = { users = ["vision-lead@example.com"] }
    engineers = { groups = ["ml-vision"] }
    viewers   = { groups = ["ml-all"] }
  }

  network = {
    ingress_namespaces = ["monitoring"]
    egress_cidrs       = { "10.20.0.0/16" = {} }
  }
}

resource "trainyard_team_quota" "language" {
  name        = "language"
  cost_center = "nlp-3400"
  queue       = trainyard_training_queue.this["p0"].name

  quota = {
    requests = { "nvidia.com/gpu" = "64", cpu = "768", memory = "8Ti" }
  }

  members = {
    engineers      = { groups = ["ml-language"] }
    data_engineers = { service_accounts = ["tokenizer"] }
  }
}
