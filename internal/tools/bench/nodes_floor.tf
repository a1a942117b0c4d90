# A resource that does nothing, with a state as large: the time that Terraform itself needs.

variable "nodes" { type = number }
variable "kubeconfig_path" { type = string }

resource "terraform_data" "bench" {
  input = { for i in range(var.nodes) : format("h100-%03d", i) => { pool = "h100", ready = true, accelerators = 8, validation = "" } }
}
