resource "trainyard_training_queue" "research" {
  name = "research"
}

# A name alone gives an isolated namespace with baseline Pod Security.
resource "trainyard_team_quota" "sandbox" {
  name = "team-sandbox"
}

resource "trainyard_team_quota" "vision" {
  name        = "team-vision"
  cost_center = "cc-4711"
  queue       = trainyard_training_queue.research.name

  quota = {
    requests = {
      cpu                      = "512"
      memory                   = "4Ti"
      "nvidia.com/gpu"         = "64"
      "nvidia.com/mig-1g.10gb" = "14"
    }
    objects = {
      pods                     = 500
      "services.loadbalancers" = 0
      "count/jobs.batch"       = 100
    }
    storage = {
      total  = "100Ti"
      claims = 200
      classes = {
        fast-nvme = { total = "10Ti" }
      }
    }
  }

  limits = {
    # What a container gets that asks for nothing. Without it the quota refuses such pods.
    container = {
      default         = { cpu = "2", memory = "8Gi" }
      default_request = { cpu = "1", memory = "4Gi" }
      max             = { "nvidia.com/gpu" = "8" }
    }
    claim = { max = "10Ti" }
  }

  members = {
    admins         = { users = ["ada@example.com"] }
    engineers      = { groups = ["vision"], service_accounts = ["runner", "ci/deployer"] }
    data_engineers = { groups = ["data"] }
    viewers        = { groups = ["staff"] }
  }

  network = {
    ingress_namespaces = ["monitoring"]
    egress_namespaces  = ["storage"]
    egress_cidrs = {
      "0.0.0.0/0" = {
        ports  = ["443"]
        except = ["169.254.169.254/32"] # the cloud's metadata service
      }
    }
  }

  registry = {
    server           = "registry.example.com"
    username         = "robot-vision"
    password         = var.registry_password
    password_version = "2026-11" # change it with the password
  }
}

variable "registry_password" {
  type      = string
  sensitive = true
  ephemeral = true
}
