# The NVIDIA device plugin as the catalogue knows it, with values of our own over it.
resource "trainyard_component" "device_plugin" {
  name             = "nvidia-device-plugin"
  namespace        = "nvidia-device-plugin"
  create_namespace = true
  catalog          = "nvidia-device-plugin"

  values = {
    failOnInitError = true
    resources       = { requests = { cpu = "50m", memory = "64Mi" } }
  }

  lifecycle {
    # A failed installation is kept and goes on with the next apply; this makes the run fail.
    postcondition {
      condition     = self.ready
      error_message = self.status
    }
  }
}

variable "proxy" {
  description = "Address of the site's proxy, with its password."
  type        = string
  sensitive   = true
  ephemeral   = true
}

# The GPU operator with values from a YAML file, and a secret that no state and no plan holds.
resource "trainyard_component" "gpu_operator" {
  name             = "gpu-operator"
  namespace        = "gpu-operator"
  create_namespace = true
  catalog          = "gpu-operator"

  values_yaml        = [yamlencode({ driver = { enabled = false } })] # or file("gpu-operator.yaml")
  values             = { devicePlugin = { enabled = false } }         # laid over it
  values_wo          = { toolkit = { env = [{ name = "HTTPS_PROXY", value = var.proxy }] } }
  values_wo_revision = 1

  crds          = "apply" # brought up to date with the chart
  history_limit = 3
  on_failure    = "rollback"
  delete        = { crds = true } # definitions go with the release, and what is of their kinds
}
