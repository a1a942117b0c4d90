import {
  to = trainyard_monitoring.this
  id = "research"
}
