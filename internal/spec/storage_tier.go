// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import "fmt"

// Cache is local storage of nodes.
type Cache struct {
	// Path is the folder of nodes under which every mount or link to a device is a volume.
	Path, FSType string
	NodeSelector map[string]string
	// Image is that of the provisioner; "" for the usual one.
	Image string
}

// LocalClass is the class of local volumes, which must not be bound before a pod has a node.
func LocalClass(name string) StorageClass {
	return StorageClass{Name: name, Provisioner: "kubernetes.io/no-provisioner", Binding: "WaitForFirstConsumer"}
}

// Ceph is a Ceph cluster that Rook runs, or one outside that it connects to.
type Ceph struct {
	// Name begins the names of what belongs to it.
	Name                         string
	Namespace, OperatorNamespace string
	// Nodes give disks, all nodes where there are none; DeviceFilter is a regular expression of
	// the devices that they give, such as ^nvme[1-8]n1.
	Nodes         []string
	DeviceFilter  string
	FailureDomain string
	Block         *Redundancy
	Filesystem    *Redundancy
	Store         *Redundancy
	Gateways      int
	External      *ExternalCeph
}

// ExternalCeph are the pools of a Ceph cluster outside; "" where it offers none.
type ExternalCeph struct{ BlockPool, Filesystem, DataPool string }

// Redundancy is how a pool survives the loss of disks: by copies, or by chunks.
type Redundancy struct{ Replicas, Data, Coding int }

// StandardReplicas are the copies of a pool that says nothing else.
const StandardReplicas = 3

// Purposes of Ceph's classes.
const (
	CephBlock      = "block"
	CephFilesystem = "filesystem"
)

// Coded says whether a pool is erasure coded.
func (r Redundancy) Coded() bool { return r.Data > 0 }

// spread is over how many failure domains a pool puts its parts.
func (r Redundancy) spread() int { return max(r.Replicas, r.Data+r.Coding) }

// BlockPool is the name of the pool of block devices.
func (c Ceph) BlockPool() string { return c.Name + "-block" }

// FilesystemName is the name of the file system.
func (c Ceph) FilesystemName() string { return c.Name + "-fs" }

// StoreName is the name of the object store.
func (c Ceph) StoreName() string { return c.Name + "-store" }

// CodedPool is the name of the pool beside a replicated one that holds its data in chunks.
const CodedPool = "coded"

// Classes are those of its volumes, by purpose, with the parameters that Rook's drivers read.
func (c Ceph) Classes() map[string]StorageClass {
	all := map[string]StorageClass{}
	pool, coded := c.BlockPool(), ""
	filesystem, data := c.FilesystemName(), c.FilesystemName()+"-data0"
	if c.Block != nil && c.Block.Coded() {
		coded = c.BlockPool() + "-" + CodedPool
	}
	if c.Filesystem != nil && c.Filesystem.Coded() {
		data = c.FilesystemName() + "-" + CodedPool
	}
	if c.External != nil {
		pool, filesystem, data = c.External.BlockPool, c.External.Filesystem, c.External.DataPool
	}
	if pool != "" && (c.Block != nil || c.External != nil) {
		class := c.class(CephBlock, "rbd", map[string]string{
			"pool": pool, "imageFormat": "2", "imageFeatures": "layering", "csi.storage.k8s.io/fstype": "ext4",
		})
		if coded != "" {
			class.Parameters["dataPool"] = coded
		}
		all[CephBlock] = class
	}
	if filesystem != "" && (c.Filesystem != nil || c.External != nil) {
		all[CephFilesystem] = c.class(CephFilesystem, "cephfs", map[string]string{"fsName": filesystem, "pool": data})
	}
	return all
}

func (c Ceph) class(purpose, driver string, parameters map[string]string) StorageClass {
	parameters["clusterID"] = c.Namespace
	for what, account := range map[string]string{"provisioner": "provisioner", "controller-expand": "provisioner", "node-stage": "node"} {
		parameters["csi.storage.k8s.io/"+what+"-secret-name"] = fmt.Sprintf("rook-csi-%s-%s", driver, account)
		parameters["csi.storage.k8s.io/"+what+"-secret-namespace"] = c.Namespace
	}
	return StorageClass{
		Name: c.Name + "-" + purpose, Provisioner: c.OperatorNamespace + "." + driver + ".csi.ceph.com", Parameters: parameters,
		Reclaim: ReclaimPolicies[0], Binding: BindingModes[0], Expand: true,
	}
}

// Serves says whether the pools behind a class stand in this cluster: Ceph deletes one that is
// wanted no longer, whatever an older class has in it.
func (c Ceph) Serves(class StorageClass) bool {
	stand := map[string]bool{"": true}
	if c.External != nil {
		stand[c.External.BlockPool], stand[c.External.DataPool] = true, true
	}
	if c.Block != nil {
		stand[c.BlockPool()] = true
		stand[c.BlockPool()+"-"+CodedPool] = c.Block.Coded()
	}
	if c.Filesystem != nil {
		stand[c.FilesystemName()+"-data0"] = true
		stand[c.FilesystemName()+"-"+CodedPool] = c.Filesystem.Coded()
	}
	return class.Parameters["clusterID"] == c.Namespace && stand[class.Parameters["pool"]] && stand[class.Parameters["dataPool"]]
}

// Validate checks what a Ceph cluster is to be.
func (c Ceph) Validate() (v Violations) {
	if c.External != nil {
		for name, given := range map[string]bool{"nodes": len(c.Nodes) > 0, "device_filter": c.DeviceFilter != "", "block": c.Block != nil, "filesystem": c.Filesystem != nil, "object_store": c.Store != nil} {
			if given {
				v.Add(Path{name}, "Leave it out, or leave external out", "an outside Ceph is set up outside")
			}
		}
		return v
	}
	if c.DeviceFilter == "" {
		v.Add(Path{"device_filter"}, `Give a regular expression of the devices that Ceph may take, such as "^nvme[1-8]n1"`, "no device is named, and Ceph takes whole disks")
	}
	if c.Block == nil && c.Filesystem == nil && c.Store == nil {
		v.Add(Path{"block"}, "Give block, filesystem or object_store; {} suffices", "the cluster offers nothing")
	}
	for _, pool := range []struct {
		name string
		of   *Redundancy
	}{{"block", c.Block}, {"filesystem", c.Filesystem}, {"object_store", c.Store}} {
		if pool.of != nil {
			pool.of.check(&v, Path{pool.name}, c)
		}
	}
	return v
}

func (r Redundancy) check(v *Violations, at Path, c Ceph) {
	switch {
	case r.Coded() && (r.Data < 2 || r.Coding < 1):
		v.Add(at.At("erasure_coding"), "Give at least data = 2 and coding = 1", "%d chunks of data and %d of coding survive no loss", r.Data, r.Coding)
	case r.Replicas < 0:
		v.Add(at.At("replicas"), "Give 1 or more", "%d is not a number of copies", r.Replicas)
	case c.FailureDomain == "host" && len(c.Nodes) > 0 && r.spread() > len(c.Nodes):
		v.Add(at, `Name more nodes, ask for fewer, or set failure_domain = "osd"`, "it needs %d nodes, one for each copy or chunk, and %d are named", r.spread(), len(c.Nodes))
	}
}

// ObjectServer is an S3 server that is installed. 0 replicas are the server's usual ones.
type ObjectServer struct {
	Replicas           int
	Size, StorageClass string
}
