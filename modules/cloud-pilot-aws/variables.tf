variable "name" {
  description = "Name of the EKS cluster, and of the platform on it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$", var.name))
    error_message = "name is \"${var.name}\": use at most 42 lower-case letters, digits and \"-\", with a letter or digit at both ends."
  }
}

variable "kubernetes_version" {
  description = "Kubernetes version of the cluster."
  type        = string
  default     = "1.33"
  nullable    = false

  validation {
    condition     = can(regex("^1\\.[0-9]{2}$", var.kubernetes_version))
    error_message = "kubernetes_version is \"${var.kubernetes_version}\": write it as 1.33."
  }
}

variable "subnet_ids" {
  description = "Private subnets, with a way out, in at least two zones. GPU nodes are all in the first: jobs span nodes, and traffic between zones is slow and paid for."
  type        = list(string)
  nullable    = false

  validation {
    condition     = length(var.subnet_ids) >= 2
    error_message = "subnet_ids has ${length(var.subnet_ids)}: EKS needs subnets in at least two zones."
  }
}

variable "endpoint_public_access_cidrs" {
  description = "Addresses that may reach the API server from outside. Empty leaves it private."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = !contains(var.endpoint_public_access_cidrs, "0.0.0.0/0")
    error_message = "endpoint_public_access_cidrs has 0.0.0.0/0: name the addresses that need the API server."
  }
}

variable "gpu_pools" {
  description = "Node groups with GPUs, by pool. They join with the taint trainyard.io/validation, so that no work comes before a node is admitted."
  nullable    = false
  type = map(object({
    instance_type           = string
    accelerator             = string
    size                    = number
    max_size                = optional(number)
    fabric                  = optional(string)
    spot                    = optional(bool, false)
    capacity_reservation_id = optional(string)
    disk_gib                = optional(number, 200)
    labels                  = optional(map(string), {})
    tasks                   = optional(list(string), ["training"])
    validate                = optional(bool, true)
  }))

  validation {
    condition     = length(var.gpu_pools) > 0
    error_message = "gpu_pools is empty: name at least one pool with GPUs."
  }
  validation {
    condition     = alltrue([for pool in var.gpu_pools : pool.size >= 0 && (pool.max_size == null ? true : pool.max_size >= pool.size)])
    error_message = "These pools have a max_size below their size: ${join(", ", [for name, pool in var.gpu_pools : name if pool.max_size == null ? false : pool.max_size < pool.size])}."
  }
  validation {
    condition     = alltrue([for pool in var.gpu_pools : !(pool.spot && pool.capacity_reservation_id != null)])
    error_message = "A pool is either of spot instances or of a capacity reservation: ${join(", ", [for name, pool in var.gpu_pools : name if pool.spot && pool.capacity_reservation_id != null])}."
  }
}

variable "cpu_pool" {
  description = "The node group for what the cluster itself runs, and for data loading."
  nullable    = false
  default     = {}
  type = object({
    instance_type = optional(string, "m7i.2xlarge")
    size          = optional(number, 2)
    max_size      = optional(number)
    disk_gib      = optional(number, 100)
  })
}

variable "capacity" {
  description = "What the cluster offers in all, by resource, such as { \"nvidia.com/gpu\" = \"16\" }. Queues are shares of it."
  type        = map(string)
  nullable    = false
}

variable "preset" {
  description = "Preset of the platform: small, medium or large."
  type        = string
  default     = "small"
  nullable    = false
}

variable "teams" {
  description = "Teams, as the module platform has them."
  nullable    = false
  default     = {}
  type = map(object({
    queue        = string
    requests     = map(string)
    cost_center  = optional(string)
    storage      = optional(string)
    admins       = optional(list(string), [])
    engineers    = optional(list(string), [])
    viewers      = optional(list(string), [])
    egress_cidrs = optional(list(string), [])
  }))
}

variable "deletion_protection" {
  description = "Refuse to destroy the platform."
  type        = bool
  default     = true
  nullable    = false
}

variable "tags" {
  description = "Tags on everything in AWS."
  type        = map(string)
  default     = {}
  nullable    = false
}
