# A resource that does nothing, with a state as large: the time that Terraform itself needs.

variable "nodes" { type = number }
variable "kubeconfig_path" { type = string }

locals {
  # range gives at most 1024 numbers.
  numbers = [for i in range(var.nodes / 1000 + 1) : [for j in range(1000) : 1000 * i + j if 1000 * i + j < var.nodes]]
}

resource "terraform_data" "bench" {
  input = { for i in flatten(local.numbers) : format("h100-%03d", i) => { pool = "h100", ready = true, accelerators = 8, validation = "" } }
}
