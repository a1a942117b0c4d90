// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func TestStorageValues(t *testing.T) {
	ceph := spec.Ceph{Name: "shared", Namespace: "rook-ceph", OperatorNamespace: "rook-ceph", DeviceFilter: "^nvme", FailureDomain: "host"}
	copies, chunks := ceph, ceph
	copies.Nodes, copies.Block, copies.Filesystem = []string{"a", "b", "c"}, &spec.Redundancy{Replicas: 3}, &spec.Redundancy{Replicas: 3}
	chunks.Block, chunks.Filesystem, chunks.Store, chunks.Gateways = &spec.Redundancy{Data: 4, Coding: 2}, &spec.Redundancy{Data: 8, Coding: 3}, &spec.Redundancy{Data: 4, Coding: 2}, 2
	outside := ceph
	outside.External = &spec.ExternalCeph{BlockPool: "rbd"}
	golden(t, map[string]map[string]any{
		"local-volumes":        LocalVolumes(spec.Cache{Path: "/mnt/disks", FSType: "xfs", NodeSelector: map[string]string{"disk": "nvme"}, Image: "mirror.example.com/p:v1"}, "cache"),
		"ceph-copies":          CephCluster(copies, false),
		"ceph-chunks":          CephCluster(chunks, true),
		"ceph-outside":         CephCluster(outside, false),
		"minio":                MinIO(spec.ObjectServer{Size: "1Ti", StorageClass: "cache"}, "keys"),
		"minio-alone":          MinIO(spec.ObjectServer{Replicas: 1, Size: "1Ti"}, "keys"),
		"seaweedfs":            SeaweedFS(spec.ObjectServer{Size: "1Ti"}, "keys"),
		"seaweedfs-replicated": SeaweedFS(spec.ObjectServer{Replicas: 3, Size: "1Ti", StorageClass: "cache"}, "keys"),
	})
}
