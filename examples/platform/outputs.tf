output "accelerators" {
  value = module.platform.accelerators
}

output "storage_classes" {
  value = module.platform.storage_classes
}

output "buckets" {
  value = module.platform.buckets
}

output "alerts" {
  value = { in_force = length(module.platform.monitoring.alerts), left_out = length(module.platform.monitoring.left_out) }
}

output "ready" {
  value = module.platform.ready
}
