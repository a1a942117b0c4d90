terraform import trainyard_component.device_plugin nvidia-device-plugin/nvidia-device-plugin
