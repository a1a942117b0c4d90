// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCephThatCannotBeIsRefused(t *testing.T) {
	pool := func(r Redundancy) *Redundancy { return &r }
	for name, test := range map[string]struct {
		ceph Ceph
		want []string
	}{
		"copies on named nodes":         {Ceph{DeviceFilter: "^nvme", FailureDomain: "host", Nodes: []string{"a", "b", "c"}, Block: pool(Redundancy{Replicas: 3})}, nil},
		"chunks on any nodes":           {Ceph{DeviceFilter: "^nvme", FailureDomain: "host", Filesystem: pool(Redundancy{Data: 8, Coding: 3})}, nil},
		"several disks of one node":     {Ceph{DeviceFilter: "^nvme", FailureDomain: "osd", Nodes: []string{"a"}, Block: pool(Redundancy{Replicas: 3})}, nil},
		"one outside":                   {Ceph{External: &ExternalCeph{BlockPool: "rbd"}}, nil},
		"no devices":                    {Ceph{Block: pool(Redundancy{Replicas: 3})}, []string{"device_filter: no device is named"}},
		"nothing to offer":              {Ceph{DeviceFilter: "^nvme"}, []string{"block: the cluster offers nothing"}},
		"more copies than nodes":        {Ceph{DeviceFilter: "^nvme", FailureDomain: "host", Nodes: []string{"a", "b"}, Block: pool(Redundancy{Replicas: 3})}, []string{"block: it needs 3 nodes"}},
		"more chunks than nodes":        {Ceph{DeviceFilter: "^nvme", FailureDomain: "host", Nodes: []string{"a", "b", "c"}, Store: pool(Redundancy{Data: 4, Coding: 2})}, []string{"object_store: it needs 6 nodes"}},
		"chunks that survive nothing":   {Ceph{DeviceFilter: "^nvme", Filesystem: pool(Redundancy{Data: 1, Coding: 1})}, []string{"filesystem.erasure_coding: 1 chunks of data"}},
		"an outside one with own disks": {Ceph{DeviceFilter: "^nvme", External: &ExternalCeph{}}, []string{"device_filter: an outside Ceph"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := test.ceph.Validate()
			if len(found) != len(test.want) {
				t.Fatalf("%v", found)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(found[i].Error(), want) {
					t.Errorf("%q does not begin with %q", found[i].Error(), want)
				}
			}
		})
	}
}

func TestClassesOfCephHaveTheParametersOfRooksDrivers(t *testing.T) {
	ceph := Ceph{
		Name: "shared", Namespace: "rook-ceph", OperatorNamespace: "rook", Block: &Redundancy{Data: 4, Coding: 2}, Filesystem: &Redundancy{Replicas: 3},
	}
	got := ceph.Classes()
	keys := func(driver string, more map[string]string) map[string]string {
		for what, account := range map[string]string{"provisioner": "provisioner", "controller-expand": "provisioner", "node-stage": "node"} {
			more["csi.storage.k8s.io/"+what+"-secret-name"] = "rook-csi-" + driver + "-" + account
			more["csi.storage.k8s.io/"+what+"-secret-namespace"] = "rook-ceph"
		}
		more["clusterID"] = "rook-ceph"
		return more
	}
	want := map[string]StorageClass{
		CephBlock: {
			Name: "shared-block", Provisioner: "rook.rbd.csi.ceph.com", Reclaim: "Delete", Binding: "Immediate", Expand: true,
			Parameters: keys("rbd", map[string]string{
				"pool": "shared-block", "dataPool": "shared-block-coded", "imageFormat": "2", "imageFeatures": "layering", "csi.storage.k8s.io/fstype": "ext4",
			}),
		},
		CephFilesystem: {
			Name: "shared-filesystem", Provisioner: "rook.cephfs.csi.ceph.com", Reclaim: "Delete", Binding: "Immediate", Expand: true,
			Parameters: keys("cephfs", map[string]string{"fsName": "shared-fs", "pool": "shared-fs-data0"}),
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	outside := Ceph{Name: "o", Namespace: "n", OperatorNamespace: "rook", External: &ExternalCeph{Filesystem: "fs", DataPool: "fs_data"}}.Classes()
	if len(outside) != 1 || outside[CephFilesystem].Parameters["pool"] != "fs_data" || outside[CephFilesystem].Parameters["fsName"] != "fs" {
		t.Errorf("outside: %v", outside)
	}
}

func TestAPoolThatGoesServesItsClassesNoLonger(t *testing.T) {
	of := func(namespace string, block Redundancy) Ceph {
		return Ceph{Name: "shared", Namespace: namespace, OperatorNamespace: "rook", Block: &block, Filesystem: &block}
	}
	copies, chunks := Redundancy{Replicas: 3}, Redundancy{Data: 4, Coding: 2}
	for name, test := range map[string]struct {
		before, now Ceph
		want        bool
	}{
		"nothing changes":             {of("a", copies), of("a", copies), true},
		"chunks come beside copies":   {of("a", copies), of("a", chunks), true},
		"chunks go":                   {of("a", chunks), of("a", copies), false},
		"the cluster moves":           {of("a", copies), of("b", copies), false},
		"both pools go":               {of("a", copies), Ceph{Name: "shared", Namespace: "a"}, false},
		"one outside takes its place": {of("a", copies), Ceph{Name: "shared", Namespace: "a", External: &ExternalCeph{BlockPool: "rbd"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for purpose, class := range test.before.Classes() {
				if got := test.now.Serves(class); got != test.want {
					t.Errorf("%s: %v", purpose, got)
				}
			}
		})
	}
}
