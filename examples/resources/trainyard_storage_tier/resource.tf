# Local disks of the GPU nodes, for what jobs read again and again.
resource "trainyard_storage_tier" "cache" {
  name = "cache"

  cache = {
    path          = "/mnt/disks" # every mount below it is a volume
    node_selector = { "trainyard.io/task-training" = "true" }
  }

  read_bandwidth_gb_per_s = 200 # 8 nodes with 25 GB/s each
  pools                   = { h100 = { accelerator = "h100", accelerators = 64 } }

  deletion_protection = false # true, the default, keeps a slip from taking the tier away
}

# A file system that all nodes share, by a CSI driver. `chart` installs the driver; without it the
# cluster has it already. What drivers read, by what their projects write:
#
#   NFS      chart       = { repository = "https://raw.githubusercontent.com/kubernetes-csi/csi-driver-nfs/master/charts", name = "csi-driver-nfs", version = "..." }
#            provisioner = "nfs.csi.k8s.io"
#            parameters  = { server = "nfs.example.com", share = "/export" }
#   Lustre   chart       = { repository = "https://kubernetes-sigs.github.io/aws-fsx-csi-driver", name = "aws-fsx-csi-driver", version = "..." }
#            provisioner = "fsx.csi.aws.com"
#            parameters  = { subnetId = "subnet-...", securityGroupIds = "sg-...", deploymentType = "PERSISTENT_2" }
#   WEKA     chart       = { repository = "https://weka.github.io/csi-wekafs", name = "csi-wekafsplugin", version = "..." }
#            provisioner = "csi.weka.io"
#            parameters  = { volumeType = "dir/v1", filesystemName = "default", "csi.storage.k8s.io/provisioner-secret-name" = "...", ... }
#   VAST     chart       = { repository = "https://vast-data.github.io/vast-csi", name = "vastcsi", version = "..." }
#            provisioner = "csi.vastdata.com"
#            parameters  = { storage_path = "/k8s", view_policy = "default", vip_pool_name = "pool1", "csi.storage.k8s.io/provisioner-secret-name" = "...", ... }
#   GlusterFS has no driver in Kubernetes since 1.26: export its volumes with NFS-Ganesha, and use the driver for NFS.
resource "trainyard_storage_tier" "shared" {
  name = "shared"

  shared = {
    csi = {
      provisioner = "nfs.csi.k8s.io"
      classes = {
        datasets = {
          parameters     = { server = "nfs.example.com", share = "/datasets" }
          reclaim_policy = "Retain"
          mount_options  = ["nfsvers=4.1", "nconnect=8"]
        }
      }
    }
  }

  # Ceph in place of it, on the disks of the cluster's own nodes:
  #
  # shared = {
  #   ceph = {
  #     nodes         = ["storage-1", "storage-2", "storage-3", "storage-4", "storage-5", "storage-6"]
  #     device_filter = "^nvme[1-8]n1"
  #     block         = { replicas = 3, default = true }
  #     filesystem    = { erasure_coding = { data = 4, coding = 2 } }
  #     object_store  = {}
  #   }
  # }

  deletion_protection = false
}

# Buckets of a server outside, with keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY:
#
# resource "trainyard_storage_tier" "object" {
#   name = "object"
#
#   object = {
#     backend  = "outside"
#     endpoint = "https://s3.eu-central-1.amazonaws.com"
#     region   = "eu-central-1"
#     buckets = {
#       example-datasets = {
#         versioning = "enabled"
#         lifecycle  = [{ id = "archive", archive_after_days = 90, archive_class = "GLACIER", expire_noncurrent_after_days = 30 }]
#       }
#     }
#   }
# }

output "datasets" {
  value = trainyard_storage_tier.shared.storage_classes["datasets"]
}
