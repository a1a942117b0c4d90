data "trainyard_gpu_nodes" "all" {}

# A lab with a fifth of the cluster, and a queue of its own for long runs below it.
resource "trainyard_training_queue" "lab" {
  name       = "lab"
  weight     = 20
  share      = { percent = 20, of = data.trainyard_gpu_nodes.all.allocatable }
  capability = { "nvidia.com/gpu" = "64", cpu = "1024", memory = "8Ti" }
}

resource "trainyard_training_queue" "pretraining" {
  name        = "lab-pretraining"
  parent      = trainyard_training_queue.lab.name
  deserved    = { "nvidia.com/gpu" = "16" }
  guarantee   = { "nvidia.com/gpu" = "8" }
  capability  = { "nvidia.com/gpu" = "32" }
  reclaimable = false
  priority    = 10

  priority_class = {
    name              = "lab-pretraining"
    value             = 100000
    preemption_policy = "Never"
    description       = "Runs of weeks, which preempt nobody."
  }
}

# Kept for its history, but closed: it takes no new jobs.
resource "trainyard_training_queue" "archive" {
  name  = "lab-archive"
  state = "closed"
}
