# What the module makes of its one object, with a provider that makes nothing.

mock_provider "trainyard" {
  mock_resource "trainyard_gpu_cluster" {
    defaults = { ready = true, status = "2 pools" }
  }
  mock_resource "trainyard_storage_tier" {
    defaults = { ready = true, status = "" }
  }
  mock_resource "trainyard_monitoring" {
    defaults = { ready = true, status = "" }
  }
}

variables {
  platform = {
    name     = "research"
    capacity = { "nvidia.com/gpu" = "128", cpu = "1536", memory = "16Ti" }
    pools = {
      h100 = { selector = { group = "h100" }, accelerator = "h100", fabric = "infiniband" }
      cpu  = { selector = { group = "cpu" }, tasks = ["data"] }
    }
    device_plugins = {}
    scheduler      = {}
    teams = {
      vision = { queue = "p1", requests = { "nvidia.com/gpu" = "32" }, engineers = ["ml-vision"], egress_cidrs = ["10.20.0.0/16"] }
    }
    storage = {
      scratch  = { cache = { node_selector = { group = "h100" } } }
      home     = { csi = { provisioner = "nfs.csi.k8s.io", classes = { home = { parameters = { server = "nfs.example.com", share = "/home" } } } } }
      ceph     = { ceph = { device_filter = "^nvme[1-8]n1", block = true, replicas = 2 } }
      datasets = { object = { endpoint = "https://s3.example.com", buckets = { datasets = { versioning = "enabled" } } } }
    }
    monitoring = { retention = "30d" }
  }
}

run "small" {
  assert {
    condition     = trainyard_training_queue.this["p0"].share.percent == 20 && !trainyard_training_queue.this["p0"].reclaimable
    error_message = "production has another share than the preset's, or may be reclaimed"
  }
  assert {
    condition     = trainyard_gpu_cluster.this.deletion_protection && trainyard_gpu_cluster.this.scheduler.topology == false
    error_message = "the cluster is not protected, or topology is on"
  }
  assert {
    condition     = trainyard_team_quota.this["vision"].queue == "p1" && trainyard_team_quota.this["vision"].members.admins == null
    error_message = "the team is in another queue, or has admins that nobody named"
  }
  assert {
    condition     = trainyard_training_queue.this["p2"].priority_class.name == "research-p2"
    error_message = "the PriorityClass has another name"
  }
  assert {
    condition     = trainyard_storage_tier.this["ceph"].shared.ceph.block.replicas == 2 && trainyard_storage_tier.this["ceph"].shared.ceph.object_store == null
    error_message = "Ceph keeps other copies, or has a store that nobody asked for"
  }
  assert {
    condition     = trainyard_monitoring.this[0].prometheus.retention == "30d" && trainyard_monitoring.this[0].external_prometheus == null
    error_message = "monitoring keeps samples for another time, or looks for a Prometheus outside"
  }
  assert {
    condition     = output.ready && output.teams["vision"].namespace == "vision"
    error_message = "the outputs say something else"
  }
}

run "large" {
  command = plan
  variables {
    platform = {
      name           = "big"
      preset         = "large"
      capacity       = { "nvidia.com/gpu" = "1024" }
      pools          = { h100 = { selector = { group = "h100" }, accelerator = "h100" } }
      device_plugins = { operator = true, driver = false }
      scheduler      = {}
    }
  }
  assert {
    condition     = trainyard_gpu_cluster.this.scheduler.topology && trainyard_gpu_cluster.this.device_plugins.nvidia.operator
    error_message = "topology or the operator is off"
  }
}

run "own_queues" {
  command = plan
  variables {
    platform = {
      name                = "own"
      capacity            = { "nvidia.com/gpu" = "8" }
      pools               = { h100 = { selector = { group = "h100" } } }
      fabric              = false
      deletion_protection = false
      queues              = { only = { percent = 100, priority = 1 } }
      teams               = { a = { queue = "only", requests = { cpu = "8" } } }
    }
  }
  assert {
    condition     = length(trainyard_training_queue.this) == 1 && trainyard_gpu_cluster.this.fabric == null && trainyard_gpu_cluster.this.scheduler == null
    error_message = "there are other queues, or parts that nobody asked for"
  }
}

run "too_much" {
  command = plan
  variables {
    platform = {
      name     = "much"
      preset   = "huge"
      capacity = { "nvidia.com/gpu" = "8" }
      pools    = {}
      queues   = { a = { percent = 60, priority = 1 }, b = { percent = 50, priority = 2 } }
      teams    = { x = { queue = "c", requests = { cpu = "8" } } }
      storage  = { both = { cache = {}, ceph = { device_filter = "x" } } }
    }
  }
  expect_failures = [var.platform]
}
