output "cluster" {
  description = "Where the cluster is, for other modules and resources that belong into it."
  value       = trainyard_gpu_cluster.this.cluster_connection
}

output "accelerators" {
  description = "How many accelerators of each pool may take work."
  value       = trainyard_gpu_cluster.this.admitted_accelerators
}

output "nccl" {
  description = "Text of nccl.conf for each pool that has a fabric."
  value       = trainyard_gpu_cluster.this.nccl
}

output "queues" {
  description = "Queues: what each deserves, and the PriorityClass of its jobs."
  value = {
    for name, queue in trainyard_training_queue.this : name => {
      percent        = local.queues[name].percent
      deserved       = queue.deserved
      priority_class = queue.priority_class.name
    }
  }
}

output "teams" {
  description = "Namespaces of the teams, with their queues."
  value       = { for name, team in trainyard_team_quota.this : name => { namespace = team.name, queue = team.queue } }
}

output "storage_classes" {
  description = "StorageClasses of each tier, by what they are for."
  value       = { for name, tier in trainyard_storage_tier.this : name => tier.storage_classes }
}

output "buckets" {
  description = "Buckets of each tier, by their key."
  value       = { for name, tier in trainyard_storage_tier.this : name => tier.buckets }
}

output "monitoring" {
  description = "Where Prometheus and Grafana are, the alerts in force, and those left out; null without monitoring."
  value = one([for m in trainyard_monitoring.this : {
    prometheus_url = m.prometheus_url, grafana_url = m.grafana_url, alerts = m.active_alerts, left_out = m.left_out
  }])
}

output "ready" {
  description = "Whether everything stands as it was applied."
  value = alltrue(concat([trainyard_gpu_cluster.this.ready],
  [for tier in trainyard_storage_tier.this : tier.ready], [for m in trainyard_monitoring.this : m.ready]))
}
