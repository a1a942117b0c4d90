locals {
  # What a preset decides: how much of the cluster is kept for production, and whether jobs are
  # kept within few hops of the network.
  presets = {
    small  = { p0 = 20, p1 = 50, p2 = 30, topology = false }
    medium = { p0 = 30, p1 = 50, p2 = 20, topology = false }
    large  = { p0 = 40, p1 = 45, p2 = 15, topology = true }
  }
  preset = local.presets[var.platform.preset]

  usual_queues = {
    p0 = { percent = local.preset.p0, priority = 100000, most = null, guarantee = null, reclaimable = false, description = "production training" }
    p1 = { percent = local.preset.p1, priority = 10000, most = null, guarantee = null, reclaimable = true, description = "research" }
    p2 = { percent = local.preset.p2, priority = 1000, most = null, guarantee = null, reclaimable = true, description = "experiments" }
  }
  queues = var.platform.queues == null ? local.usual_queues : var.platform.queues

  plugins    = var.platform.device_plugins
  scheduler  = var.platform.scheduler
  monitoring = var.platform.monitoring
  nvidia     = local.plugins == null ? false : local.plugins.operator || local.plugins.driver != null || local.plugins.chart != null
}

resource "trainyard_gpu_cluster" "this" {
  name    = var.platform.name
  cluster = var.cluster
  pools = { for name, pool in var.platform.pools : name => {
    selector    = pool.selector
    accelerator = pool.accelerator
    fabric      = pool.fabric
    labels      = pool.labels
    tasks       = pool.tasks
    time_slices = pool.time_slices
    mig         = pool.mig
    taints      = pool.taints
  } }

  device_plugins = local.plugins == null ? null : {
    nvidia = local.nvidia ? { operator = local.plugins.operator, driver = local.plugins.driver, chart = local.plugins.chart } : null
  }
  fabric = var.platform.fabric ? {} : null
  scheduler = local.scheduler == null ? null : {
    shares   = local.scheduler.shares
    topology = local.scheduler.topology == null ? local.preset.topology : local.scheduler.topology
    chart    = local.scheduler.chart
  }

  deletion_protection = var.platform.deletion_protection

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The cluster ${var.platform.name} is not ready: ${self.status}"
    }
  }
}

resource "trainyard_training_queue" "this" {
  for_each = local.queues

  name        = each.key
  cluster     = var.cluster
  weight      = each.value.percent
  share       = { percent = each.value.percent, of = var.platform.capacity }
  capability  = each.value.most
  guarantee   = each.value.guarantee
  reclaimable = each.value.reclaimable

  priority_class = {
    name        = "${var.platform.name}-${each.key}"
    value       = each.value.priority
    description = each.value.description
  }

  # Queues need the scheduler's definitions and webhooks.
  depends_on = [trainyard_gpu_cluster.this]
}

resource "trainyard_team_quota" "this" {
  for_each = var.platform.teams

  name        = each.key
  cluster     = var.cluster
  queue       = trainyard_training_queue.this[each.value.queue].name
  cost_center = each.value.cost_center

  quota = {
    requests = each.value.requests
    storage  = each.value.storage == null ? null : { total = each.value.storage }
  }
  limits = {
    container = {
      default         = { cpu = each.value.container_cpu, memory = each.value.container_ram }
      default_request = { cpu = each.value.container_cpu, memory = each.value.container_ram }
    }
  }
  members = {
    admins    = length(each.value.admins) == 0 ? null : { groups = each.value.admins }
    engineers = length(each.value.engineers) == 0 ? null : { groups = each.value.engineers }
    viewers   = length(each.value.viewers) == 0 ? null : { groups = each.value.viewers }
  }
  network = {
    egress_cidrs = { for cidr in each.value.egress_cidrs : cidr => {} }
  }
}

resource "trainyard_storage_tier" "this" {
  for_each = var.platform.storage

  name    = each.key
  cluster = var.cluster

  cache = each.value.cache
  shared = each.value.ceph == null && each.value.csi == null ? null : {
    ceph = each.value.ceph == null ? null : {
      device_filter  = each.value.ceph.device_filter
      nodes          = each.value.ceph.nodes
      failure_domain = each.value.ceph.failure_domain
      block          = each.value.ceph.block ? { replicas = each.value.ceph.replicas } : null
      filesystem     = each.value.ceph.filesystem ? { replicas = each.value.ceph.replicas } : null
      object_store   = each.value.ceph.object_store ? { replicas = each.value.ceph.replicas } : null
    }
    csi = each.value.csi
  }
  object = each.value.object

  read_bandwidth_gb_per_s = each.value.read_bandwidth_gb_per_s
  pools = {
    for name, pool in var.platform.pools : name => { accelerator = pool.accelerator, accelerators = pool.accelerators }
    if pool.accelerator != null && pool.accelerators != null
  }
  deletion_protection = var.platform.deletion_protection

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The storage tier ${each.key} is not ready: ${self.status}"
    }
  }

  # Its pods find the nodes by the labels of their pools.
  depends_on = [trainyard_gpu_cluster.this]
}

resource "trainyard_monitoring" "this" {
  count = local.monitoring == null ? 0 : 1

  name    = var.platform.name
  cluster = var.cluster

  prometheus = local.monitoring.install ? {
    chart = local.monitoring.chart, retention = local.monitoring.retention, storage = local.monitoring.storage
  } : null
  external_prometheus = local.monitoring.install ? null : { operator = local.monitoring.external_operator }
  gpu_exporter        = local.monitoring.gpu_exporter ? { chart = local.monitoring.gpu_exporter_chart } : null
  exporters           = local.monitoring.exporters
  alerts              = local.monitoring.alerts
  deletion_protection = var.platform.deletion_protection

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The monitoring of ${var.platform.name} is not ready: ${self.status}"
    }
  }

  # What is watched comes first, and so do the volumes of what watches.
  depends_on = [trainyard_gpu_cluster.this, trainyard_storage_tier.this]
}
