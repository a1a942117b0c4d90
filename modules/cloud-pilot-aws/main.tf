locals {
  gate = { key = "trainyard.io/validation", value = "pending", effect = "NO_SCHEDULE" }

  pools = merge(
    { for name, pool in var.gpu_pools : name => {
      selector    = { "eks.amazonaws.com/nodegroup" = aws_eks_node_group.gpu[name].node_group_name }
      accelerator = pool.accelerator
      fabric      = pool.fabric
      labels      = pool.labels
      tasks       = pool.tasks
    } },
    { cpu = {
      selector    = { "eks.amazonaws.com/nodegroup" = aws_eks_node_group.cpu.node_group_name }
      accelerator = null
      fabric      = null
      labels      = {}
      tasks       = ["data"]
    } },
  )
}

data "aws_iam_policy_document" "assume" {
  for_each = { cluster = "eks.amazonaws.com", node = "ec2.amazonaws.com" }

  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = [each.value]
    }
  }
}

resource "aws_iam_role" "this" {
  for_each = data.aws_iam_policy_document.assume

  name               = "${var.name}-eks-${each.key}"
  assume_role_policy = each.value.json
  tags               = var.tags
}

resource "aws_iam_role_policy_attachment" "this" {
  for_each = {
    AmazonEKSClusterPolicy             = "cluster"
    AmazonEKSWorkerNodePolicy          = "node"
    AmazonEKS_CNI_Policy               = "node"
    AmazonEC2ContainerRegistryReadOnly = "node"
  }

  role       = aws_iam_role.this[each.value].name
  policy_arn = "arn:aws:iam::aws:policy/${each.key}"
}

resource "aws_eks_cluster" "this" {
  name     = var.name
  version  = var.kubernetes_version
  role_arn = aws_iam_role.this["cluster"].arn
  tags     = var.tags

  access_config {
    authentication_mode                         = "API"
    bootstrap_cluster_creator_admin_permissions = true # who applies this makes the platform next
  }
  vpc_config {
    subnet_ids              = var.subnet_ids
    endpoint_private_access = true
    endpoint_public_access  = length(var.endpoint_public_access_cidrs) > 0
    public_access_cidrs     = length(var.endpoint_public_access_cidrs) > 0 ? var.endpoint_public_access_cidrs : null
  }

  depends_on = [aws_iam_role_policy_attachment.this]
}

resource "aws_eks_node_group" "cpu" {
  cluster_name    = aws_eks_cluster.this.name
  node_group_name = "${var.name}-cpu"
  node_role_arn   = aws_iam_role.this["node"].arn
  subnet_ids      = var.subnet_ids
  instance_types  = [var.cpu_pool.instance_type]
  ami_type        = "AL2023_x86_64_STANDARD"
  disk_size       = var.cpu_pool.disk_gib
  tags            = var.tags

  scaling_config {
    min_size     = var.cpu_pool.size
    desired_size = var.cpu_pool.size
    max_size     = var.cpu_pool.max_size == null ? var.cpu_pool.size : var.cpu_pool.max_size
  }
  lifecycle {
    ignore_changes = [scaling_config[0].desired_size] # the autoscaler's
  }
}

# What a node group has no argument for: its disk, the instance's metadata service, and the
# reservation that its GPUs come from.
resource "aws_launch_template" "gpu" {
  for_each = var.gpu_pools

  name = "${var.name}-${each.key}"
  tags = var.tags

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = each.value.disk_gib
      volume_type = "gp3"
      encrypted   = true
    }
  }
  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1 # pods do not get the node's credentials
  }
  dynamic "capacity_reservation_specification" {
    for_each = each.value.capacity_reservation_id == null ? [] : [each.value.capacity_reservation_id]
    content {
      capacity_reservation_target {
        capacity_reservation_id = capacity_reservation_specification.value
      }
    }
  }
  dynamic "instance_market_options" {
    for_each = each.value.capacity_reservation_id == null ? [] : ["capacity-block"]
    content {
      market_type = instance_market_options.value
    }
  }
}

resource "aws_eks_node_group" "gpu" {
  for_each = var.gpu_pools

  cluster_name    = aws_eks_cluster.this.name
  node_group_name = "${var.name}-${each.key}"
  node_role_arn   = aws_iam_role.this["node"].arn
  subnet_ids      = [var.subnet_ids[0]]
  instance_types  = [each.value.instance_type]
  ami_type        = "AL2023_x86_64_NVIDIA"
  capacity_type   = each.value.capacity_reservation_id != null ? "CAPACITY_BLOCK" : each.value.spot ? "SPOT" : "ON_DEMAND"
  labels          = each.value.labels
  tags            = var.tags

  launch_template {
    id      = aws_launch_template.gpu[each.key].id
    version = aws_launch_template.gpu[each.key].latest_version
  }
  scaling_config {
    min_size     = 0
    desired_size = each.value.size
    max_size     = each.value.max_size == null ? each.value.size : each.value.max_size
  }

  # New nodes, those of an autoscaler too, have it from their first moment; whoever validates them
  # takes it away.
  dynamic "taint" {
    for_each = each.value.validate ? [local.gate] : []
    content {
      key    = taint.value.key
      value  = taint.value.value
      effect = taint.value.effect
    }
  }
  lifecycle {
    ignore_changes = [scaling_config[0].desired_size] # the autoscaler's
  }
}

module "platform" {
  source = "../platform"

  cluster = {
    host = aws_eks_cluster.this.endpoint
    ca   = base64decode(aws_eks_cluster.this.certificate_authority[0].data)
    exec = { command = "aws", args = ["eks", "get-token", "--cluster-name", aws_eks_cluster.this.name] }
  }
  platform = {
    name                = var.name
    preset              = var.preset
    capacity            = var.capacity
    pools               = local.pools
    device_plugins      = {}
    scheduler           = {}
    teams               = var.teams
    deletion_protection = var.deletion_protection
  }
}
