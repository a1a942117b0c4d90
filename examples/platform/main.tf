# A whole small platform from one object: pools, device plugin, scheduler, three storage tiers,
# monitoring, queues and teams. `make demo` applies this to a testbed.

terraform {
  required_version = ">= 1.9"
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

variable "s3_endpoint" {
  description = "URL of the S3 server for datasets. Its keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
  type        = string
  nullable    = false
}

variable "charts" {
  description = "Folders of charts to take instead of those of the catalogue, where there is no way to their repositories."
  type        = map(string)
  default     = {}
  nullable    = false
}

locals {
  # A chart of a folder, or null for the catalogue's.
  charts = { for name in ["nvidia_device_plugin", "volcano", "prometheus", "gpu_exporter"] : name =>
    contains(keys(var.charts), name) ? { path = var.charts[name] } : null
  }
}

provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig_path }
  owner   = "platform"
}

module "platform" {
  source = "../../modules/platform"

  platform = {
    name     = "demo"
    preset   = "medium"
    capacity = { "nvidia.com/gpu" = "96", cpu = "2000", memory = "20Ti" }

    pools = {
      h100 = {
        selector     = { "eks.amazonaws.com/nodegroup" = "h100" }
        accelerator  = "h100"
        accelerators = 64
        fabric       = "infiniband"
        tasks        = ["training"]
        taints       = [{ key = "nvidia.com/gpu", value = "present", effect = "NoSchedule" }]
      }
      a100 = {
        selector     = { "eks.amazonaws.com/nodegroup" = "a100" }
        accelerator  = "a100-80gb"
        accelerators = 32
        tasks        = ["development", "inference"]
        mig          = { profile = "1g.10gb", strategy = "mixed" }
      }
      cpu = {
        selector = { "eks.amazonaws.com/nodegroup" = "cpu" }
        tasks    = ["data"]
      }
    }
    device_plugins = { chart = local.charts.nvidia_device_plugin }
    scheduler      = { chart = local.charts.volcano }

    storage = {
      scratch  = { cache = { path = "/mnt/nvme", node_selector = { "eks.amazonaws.com/nodegroup" = "h100" } } }
      home     = { csi = { provisioner = "nfs.csi.k8s.io", classes = { home = { parameters = { server = "nfs.example.com", share = "/home" } } } } }
      datasets = { object = { endpoint = var.s3_endpoint, path_style = true, buckets = { datasets = { versioning = "enabled" }, checkpoints = {} } } }
    }
    monitoring = {
      chart              = local.charts.prometheus
      gpu_exporter_chart = local.charts.gpu_exporter
      exporters          = ["volcano"]
      alerts             = { GPUUnderused = { threshold = 40 } }
    }

    teams = {
      vision = { queue = "p1", requests = { "nvidia.com/gpu" = "32", cpu = "384", memory = "4Ti" }, engineers = ["ml-vision"], cost_center = "cv-1200", egress_cidrs = ["10.20.0.0/16"] }
      speech = { queue = "p2", requests = { "nvidia.com/gpu" = "16", cpu = "192", memory = "2Ti" }, engineers = ["ml-speech"], cost_center = "sp-0400" }
    }
    deletion_protection = false # true, the default, keeps a slip from taking all of it away
  }
}
