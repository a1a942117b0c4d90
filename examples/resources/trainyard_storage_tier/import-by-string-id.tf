import {
  to = trainyard_storage_tier.shared
  id = "shared"
}
