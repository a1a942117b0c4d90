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

output "ready" {
  description = "Whether everything stands as it was applied."
  value       = trainyard_gpu_cluster.this.ready
}
