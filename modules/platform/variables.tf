variable "cluster" {
  description = "Where the cluster is, as the provider's argument `cluster` has it. null uses the provider's own."
  type = object({
    kubeconfig_path = optional(string)
    context         = optional(string)
    host            = optional(string)
    ca              = optional(string)
    exec = optional(object({
      command     = string
      args        = optional(list(string))
      env         = optional(map(string))
      api_version = optional(string)
    }))
  })
  default = null
}

variable "platform" {
  description = "The whole platform. The README explains each field."
  nullable    = false
  type = object({
    name   = string
    preset = optional(string, "small")

    # What the cluster offers in all, by resource: queues are shares of it.
    capacity = map(string)

    pools = map(object({
      selector    = map(string)
      accelerator = optional(string)
      # How many the pool has in all, for the check of what storage has to read.
      accelerators = optional(number)
      fabric       = optional(string)
      labels       = optional(map(string))
      tasks        = optional(list(string))
      time_slices  = optional(number)
      mig          = optional(object({ profile = string, strategy = optional(string) }))
      taints       = optional(list(object({ key = string, value = optional(string), effect = string })))
    }))

    device_plugins = optional(object({
      operator = optional(bool, false)
      driver   = optional(bool)
      chart    = optional(object({ repository = optional(string), registry = optional(string), path = optional(string), name = optional(string), version = optional(string), digest = optional(string) }))
    }))
    scheduler = optional(object({
      shares   = optional(string)
      topology = optional(bool)
      chart    = optional(object({ repository = optional(string), registry = optional(string), path = optional(string), name = optional(string), version = optional(string), digest = optional(string) }))
    }))
    fabric = optional(bool, true)

    queues = optional(map(object({
      percent     = number
      priority    = number
      most        = optional(map(string))
      guarantee   = optional(map(string))
      reclaimable = optional(bool, true)
      description = optional(string, "")
    })))

    teams = optional(map(object({
      queue         = string
      requests      = map(string)
      cost_center   = optional(string)
      storage       = optional(string)
      container_cpu = optional(string, "4")
      container_ram = optional(string, "32Gi")
      admins        = optional(list(string), [])
      engineers     = optional(list(string), [])
      viewers       = optional(list(string), [])
      egress_cidrs  = optional(list(string), [])
    })), {})

    storage = optional(map(object({
      cache = optional(object({
        class         = optional(string)
        path          = optional(string)
        node_selector = optional(map(string))
        default       = optional(bool)
      }))
      ceph = optional(object({
        device_filter  = string
        nodes          = optional(list(string))
        failure_domain = optional(string)
        replicas       = optional(number)
        block          = optional(bool, false)
        filesystem     = optional(bool, true)
        object_store   = optional(bool, false)
      }))
      csi = optional(object({
        provisioner = string
        chart       = optional(object({ repository = optional(string), registry = optional(string), path = optional(string), name = optional(string), version = optional(string), digest = optional(string) }))
        classes = map(object({
          class           = optional(string)
          parameters      = optional(map(string))
          default         = optional(bool)
          binding_mode    = optional(string)
          reclaim_policy  = optional(string)
          allow_expansion = optional(bool)
        }))
      }))
      object = optional(object({
        backend    = optional(string, "outside")
        endpoint   = optional(string)
        region     = optional(string)
        path_style = optional(bool)
        buckets = map(object({
          name       = optional(string)
          versioning = optional(string)
          quota      = optional(string)
          policy     = optional(string)
          lifecycle = optional(list(object({
            id                           = string
            prefix                       = optional(string)
            expire_after_days            = optional(number)
            archive_after_days           = optional(number)
            archive_class                = optional(string)
            expire_noncurrent_after_days = optional(number)
            abort_uploads_after_days     = optional(number)
          })))
        }))
      }))
      read_bandwidth_gb_per_s = optional(number)
    })), {})

    monitoring = optional(object({
      install            = optional(bool, true)
      chart              = optional(object({ repository = optional(string), registry = optional(string), path = optional(string), name = optional(string), version = optional(string), digest = optional(string) }))
      external_operator  = optional(bool, true)
      retention          = optional(string)
      storage            = optional(object({ class = optional(string), size = string }))
      gpu_exporter       = optional(bool, true)
      gpu_exporter_chart = optional(object({ repository = optional(string), registry = optional(string), path = optional(string), name = optional(string), version = optional(string), digest = optional(string) }))
      exporters          = optional(set(string))
      alerts = optional(map(object({
        enabled   = optional(bool)
        threshold = optional(number)
        for       = optional(string)
        severity  = optional(string)
        labels    = optional(map(string))
      })))
    }))

    deletion_protection = optional(bool, true)
  })

  validation {
    condition     = contains(["small", "medium", "large"], var.platform.preset)
    error_message = "platform.preset is \"${var.platform.preset}\": use small (8-16 GPUs), medium (64-128) or large (512 and more)."
  }
  validation {
    condition     = length(var.platform.pools) > 0
    error_message = "platform.pools is empty: name at least one pool of nodes by its labels."
  }
  validation {
    condition     = sum(concat([0], var.platform.queues == null ? [] : [for queue in var.platform.queues : queue.percent])) <= 100
    error_message = "The queues of platform.queues share more than 100 percent: ${sum(concat([0], var.platform.queues == null ? [] : [for queue in var.platform.queues : queue.percent]))}."
  }
  validation {
    condition     = var.platform.queues == null ? true : alltrue([for queue in var.platform.queues : queue.percent >= 1 && queue.percent <= 100])
    error_message = "Each queue of platform.queues needs a percent from 1 to 100."
  }
  validation {
    condition = alltrue([
      for team in values(var.platform.teams) : contains((var.platform.queues == null ? ["p0", "p1", "p2"] : keys(var.platform.queues)), team.queue)
    ])
    error_message = "These teams name a queue that there is not: ${join(", ", [
      for name, team in var.platform.teams : "${name} (${team.queue})" if !contains((var.platform.queues == null ? ["p0", "p1", "p2"] : keys(var.platform.queues)), team.queue)
    ])}. Queues are ${join(", ", (var.platform.queues == null ? ["p0", "p1", "p2"] : keys(var.platform.queues)))}."
  }
  validation {
    condition = alltrue([for tier in var.platform.storage : length([for kind in [tier.cache, tier.ceph, tier.csi, tier.object] : true if kind != null]) == 1])
    error_message = "Each tier of platform.storage needs exactly one of cache, ceph, csi and object. These have none or several: ${join(", ", [
      for name, tier in var.platform.storage : name if length([for kind in [tier.cache, tier.ceph, tier.csi, tier.object] : true if kind != null]) != 1
    ])}."
  }
  validation {
    condition     = alltrue([for resource in keys(var.platform.capacity) : can(regex("^[a-z0-9./-]+$", lower(resource)))])
    error_message = "platform.capacity needs names of resources, such as \"nvidia.com/gpu\", cpu and memory."
  }
}
