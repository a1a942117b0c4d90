output "cluster" {
  description = "Where the cluster is, for other modules and resources that belong into it."
  value       = module.platform.cluster
}

output "accelerators" {
  description = "How many accelerators of each pool may take work."
  value       = module.platform.accelerators
}

output "queues" {
  description = "Queues: what each deserves, and the PriorityClass of its jobs."
  value       = module.platform.queues
}

output "ready" {
  description = "Whether everything stands as it was applied."
  value       = module.platform.ready
}

output "node_role_arn" {
  description = "Role of the nodes, for policies that a site adds."
  value       = aws_iam_role.this["node"].arn
}
