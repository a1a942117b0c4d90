terraform import trainyard_team_quota.vision team-vision
