# Every queue.
data "trainyard_queue_status" "all" {}

# Some queues. One that does not exist is an error.
data "trainyard_queue_status" "research" {
  names = ["research", "production"]
}

output "jobs_that_wait" {
  value = { for name, queue in data.trainyard_queue_status.all.queues : name => queue.pending + queue.inqueue }
}

output "gpus_of_research" {
  value = lookup(data.trainyard_queue_status.research.queues["research"].allocated, "nvidia.com/gpu", "0")
}
