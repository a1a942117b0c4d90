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

  plugins   = var.platform.device_plugins
  scheduler = var.platform.scheduler
  nvidia    = local.plugins == null ? false : local.plugins.operator || local.plugins.driver != null || local.plugins.chart != null
}

resource "trainyard_gpu_cluster" "this" {
  name    = var.platform.name
  cluster = var.cluster
  pools   = var.platform.pools

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
