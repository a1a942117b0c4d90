import {
  to = trainyard_gpu_cluster.this
  id = "research"
}
