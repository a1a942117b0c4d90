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
