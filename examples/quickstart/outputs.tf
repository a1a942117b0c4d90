output "queues" {
  description = "What each queue deserves of the cluster, in percent."
  value       = { for name, queue in trainyard_training_queue.this : name => queue.share.percent }
}
