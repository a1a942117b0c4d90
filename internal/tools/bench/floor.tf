# As many resources, none of which asks anything of a cluster: the time that Terraform
# itself needs.

variable "teams" { type = number }
variable "queues" { type = number }
variable "kubeconfig_path" { type = string }

resource "terraform_data" "queue" {
  for_each = toset([for i in range(var.queues) : format("bench-%04d", i)])
  input    = { name = each.key, weight = 1, capability = { "nvidia.com/gpu" = "8" } }
}

resource "terraform_data" "team" {
  for_each = toset([for i in range(var.teams) : format("bench-%04d", i)])
  input    = { name = each.key, quota = { requests = { "nvidia.com/gpu" = "8", cpu = "64" } } }
}
