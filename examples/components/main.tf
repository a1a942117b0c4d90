# What a training platform stands on, from charts: the device plugin that offers GPUs to pods,
# and the scheduler that places whole jobs. `make demo` applies this to a testbed.

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

variable "charts" {
  description = "Folders of charts to take instead of those of the catalogue, where there is no way to their repositories."
  type = object({
    nvidia_device_plugin = optional(string)
    volcano              = optional(string)
  })
  default  = {}
  nullable = false
}

provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig_path }
  owner   = "components"
}

resource "trainyard_component" "device_plugin" {
  name             = "nvidia-device-plugin"
  namespace        = "nvidia-device-plugin"
  create_namespace = true
  catalog          = var.charts.nvidia_device_plugin == null ? "nvidia-device-plugin" : null
  chart            = var.charts.nvidia_device_plugin == null ? null : { path = var.charts.nvidia_device_plugin }
  values           = { failOnInitError = true }

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = self.status
    }
  }
}

resource "trainyard_component" "volcano" {
  name             = "volcano"
  namespace        = "volcano-system"
  create_namespace = true
  catalog          = var.charts.volcano == null ? "volcano" : null
  chart            = var.charts.volcano == null ? null : { path = var.charts.volcano }
  values           = { custom = { scheduler_replicas = 2 } }

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = self.status
    }
  }
}

output "status" {
  description = "How each component stands."
  value = {
    for component in [trainyard_component.device_plugin, trainyard_component.volcano] :
    component.name => "${component.chart_version}, ${component.status}"
  }
}
