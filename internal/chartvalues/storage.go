// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// LocalVolumes are the values of our chart localvolumes; class is the name of its StorageClass.
func LocalVolumes(c spec.Cache, class string) map[string]any {
	values := map[string]any{"class": class, "path": c.Path, "fsType": c.FSType}
	if c.Image != "" {
		values["image"] = c.Image
	}
	if len(c.NodeSelector) > 0 {
		selector := map[string]any{}
		for key, value := range c.NodeSelector {
			selector[key] = value
		}
		values["nodeSelector"] = selector
	}
	return values
}

// CephCluster are the values of rook-ceph-cluster. Its pools come without StorageClasses, which
// tiers keep themselves. lose: it may be removed while volumes stand.
func CephCluster(c spec.Ceph, lose bool) map[string]any {
	values := map[string]any{"operatorNamespace": c.OperatorNamespace}
	if c.External != nil {
		values["cephClusterSpec"] = map[string]any{
			"external": map[string]any{"enable": true}, "crashCollector": map[string]any{"disable": true},
		}
		return values
	}
	storage := map[string]any{"useAllNodes": len(c.Nodes) == 0, "useAllDevices": false, "deviceFilter": c.DeviceFilter}
	if len(c.Nodes) > 0 {
		nodes := []any{}
		for _, node := range c.Nodes {
			nodes = append(nodes, map[string]any{"name": node})
		}
		storage["nodes"] = nodes
	}
	cluster := map[string]any{"storage": storage}
	if lose {
		cluster["cleanupPolicy"] = map[string]any{"allowUninstallWithVolumes": true}
	}
	values["cephClusterSpec"] = cluster
	values["cephBlockPools"], values["cephFileSystems"], values["cephObjectStores"] = blockPools(c), fileSystems(c), objectStores(c, lose)
	return values
}

// noClass: the chart makes no StorageClass.
func noClass() map[string]any { return map[string]any{"enabled": false} }

func replicated(copies int) map[string]any {
	return map[string]any{"size": int64(copies), "requireSafeReplicaSize": copies > 1}
}

// pool is the specification of one pool.
func pool(c spec.Ceph, r spec.Redundancy) map[string]any {
	if r.Coded() {
		return map[string]any{"failureDomain": c.FailureDomain, "erasureCoded": map[string]any{"dataChunks": int64(r.Data), "codingChunks": int64(r.Coding)}}
	}
	return map[string]any{"failureDomain": c.FailureDomain, "replicated": replicated(r.Replicas)}
}

// index is the pool beside one: of what is kept in chunks Ceph keeps the index in copies.
func index(c spec.Ceph, r spec.Redundancy) map[string]any {
	if r.Coded() {
		r = spec.Redundancy{Replicas: spec.StandardReplicas}
	}
	return pool(c, r)
}

func blockPools(c spec.Ceph) []any {
	pools := []any{}
	if c.Block == nil {
		return pools
	}
	pools = append(pools, map[string]any{"name": c.BlockPool(), "spec": index(c, *c.Block), "storageClass": noClass()})
	if c.Block.Coded() {
		pools = append(pools, map[string]any{"name": c.BlockPool() + "-" + spec.CodedPool, "spec": pool(c, *c.Block), "storageClass": noClass()})
	}
	return pools
}

func fileSystems(c spec.Ceph) []any {
	if c.Filesystem == nil {
		return []any{}
	}
	named := func(name string, of map[string]any) map[string]any {
		of["name"] = name
		return of
	}
	data := []any{named("data0", index(c, *c.Filesystem))}
	if c.Filesystem.Coded() {
		data = append(data, named(spec.CodedPool, pool(c, *c.Filesystem)))
	}
	return []any{map[string]any{"name": c.FilesystemName(), "storageClass": noClass(), "spec": map[string]any{
		"metadataPool": index(c, *c.Filesystem), "dataPools": data,
		"metadataServer": map[string]any{"activeCount": int64(1), "activeStandby": true},
	}}}
}

func objectStores(c spec.Ceph, lose bool) []any {
	if c.Store == nil {
		return []any{}
	}
	return []any{map[string]any{"name": c.StoreName(), "storageClass": noClass(), "spec": map[string]any{
		"metadataPool": index(c, *c.Store), "dataPool": pool(c, *c.Store), "preservePoolsOnDelete": !lose,
		"gateway": map[string]any{"port": int64(80), "instances": int64(c.Gateways)},
	}}}
}

// MinIO are the values of minio; secret is the name of the Secret with its keys. One server
// alone keeps no copies; several spread chunks over each other.
func MinIO(s spec.ObjectServer, secret string) map[string]any {
	replicas, mode := s.Replicas, "distributed"
	if replicas == 0 {
		replicas = minioReplicas
	}
	if replicas == 1 {
		mode = "standalone"
	}
	return map[string]any{
		"mode": mode, "replicas": int64(replicas), "existingSecret": secret,
		"persistence": map[string]any{"size": s.Size, "storageClass": s.StorageClass},
	}
}

// minioReplicas are the fewest servers over which MinIO spreads chunks.
const minioReplicas = 4

// SeaweedFS are the values of seaweedfs; secret is the name of the Secret with its identities.
// Two volume servers or more keep two copies of everything.
func SeaweedFS(s spec.ObjectServer, secret string) map[string]any {
	disk := func() map[string]any {
		return map[string]any{"type": "persistentVolumeClaim", "size": s.Size, "storageClass": s.StorageClass}
	}
	data := disk()
	data["name"], data["maxVolumes"] = "data", int64(0)
	values := map[string]any{
		"s3":     map[string]any{"existingConfigSecret": secret},
		"volume": map[string]any{"replicas": int64(max(s.Replicas, 1)), "dataDirs": []any{data}},
		"filer":  map[string]any{"data": disk()},
	}
	if s.Replicas > 1 {
		values["global"] = map[string]any{"seaweedfs": map[string]any{"enableReplication": true, "replicationPlacement": "001"}}
	}
	return values
}
