# What the benchmark installs: many releases of one chart.

terraform {
  required_providers {
    trainyard = { source = "trainyard/trainyard" }
  }
}

variable "releases" { type = number }
variable "revision" {
  type    = number
  default = 1
}
variable "kubeconfig_path" { type = string }
variable "cache_dir" { type = string }
variable "repository" { type = string }
variable "chart" { type = string }
variable "chart_version" { type = string }
variable "digest" { type = string }

provider "trainyard" {
  cluster = { kubeconfig_path = var.kubeconfig_path }
  charts  = { cache_dir = var.cache_dir }
}

resource "trainyard_component" "bench" {
  for_each = toset([for i in range(var.releases) : format("bench-%02d", i)])

  name             = each.key
  namespace        = each.key
  create_namespace = true
  chart            = { repository = var.repository, name = var.chart, version = var.chart_version, digest = var.digest }
  values           = { podAnnotations = { "bench.example.org/revision" = tostring(var.revision) }, gfd = { enabled = true } }
  history_limit    = 100
}
