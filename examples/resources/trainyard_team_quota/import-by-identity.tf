import {
  to = trainyard_team_quota.vision
  identity = {
    name = "team-vision"
  }
}
