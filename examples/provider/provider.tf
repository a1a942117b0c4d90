terraform {
  required_providers {
    trainyard = {
      source  = "trainyard/trainyard"
      version = "~> 0.1"
    }
  }
}

# The cluster is only located here; its credentials come from the kubeconfig.
provider "trainyard" {
  cluster = {
    kubeconfig_path = "~/.kube/config"
    context         = "training"
  }

  # For a site without a way out, as `trainyard mirror push` fills it. Leave both out to take
  # charts and images from where their projects publish them.
  charts = { mirror = "oci://registry.example.com/charts" }
  images = { registry_mirror = "registry.example.com/images" }

  # Each configuration that shares a cluster has its own owner.
  owner = "platform-team"
}
