import {
  to = trainyard_component.device_plugin
  id = "nvidia-device-plugin/nvidia-device-plugin"
}
