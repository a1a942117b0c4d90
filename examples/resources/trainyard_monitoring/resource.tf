variable "pagerduty_key" {
  description = "Integration key of the on-call service."
  type        = string
  sensitive   = true
  ephemeral   = true
}

# Prometheus, Alertmanager, Grafana and the GPU exporter, with rules and dashboards.
resource "trainyard_monitoring" "this" {
  name = "research"

  prometheus = {
    retention       = "30d"
    retention_size  = "450GB"
    storage         = { size = "500Gi" }
    replicas        = 2
    external_labels = { cluster = "research" }
  }

  gpu_exporter = {}
  exporters    = ["volcano"]

  alerts = {
    GPUUnderused = { threshold = 40, for = "2h", labels = { pager = "platform" } }
  }

  receivers = {
    on-call = {
      severities = ["critical"]
      pagerduty  = { routing_key_wo = var.pagerduty_key }
    }
    mail = {
      email = { to = "ml-platform@example.com", from = "alerts@example.com", smarthost = "smtp.example.com:587" }
    }
  }
  secrets_wo_revision = 1 # the next number has a changed key applied

  deletion_protection = false # true, the default, keeps a slip from silencing every alert

  lifecycle {
    # What fails is kept and goes on with the next apply; this makes the run fail.
    postcondition {
      condition     = self.ready
      error_message = self.status
    }
  }
}

output "left_out" {
  value = trainyard_monitoring.this.left_out
}
