import {
  to = trainyard_team_quota.vision
  id = "team-vision"
}
