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

  # Each configuration that shares a cluster has its own owner.
  owner = "platform-team"
}
