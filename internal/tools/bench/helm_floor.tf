# As many resources that ask nothing of a cluster: the time that Terraform itself needs.

variable "releases" { type = number }
variable "kubeconfig_path" { type = string }
variable "cache_dir" { type = string }
variable "repository" { type = string }
variable "chart" { type = string }
variable "chart_version" { type = string }
variable "digest" { type = string }

resource "terraform_data" "bench" {
  for_each = toset([for i in range(var.releases) : format("bench-%02d", i)])
  input    = { name = each.key, chart = var.chart, version = var.chart_version }
}
