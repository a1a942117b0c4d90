import {
  to = trainyard_training_queue.lab
  id = "lab"
}
