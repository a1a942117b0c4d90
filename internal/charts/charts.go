// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package charts holds Trainyard's own charts, which are part of the program.
package charts

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed all:fabric all:monitoring all:localvolumes all:s3credentials all:cephobjectuser
var files embed.FS

// Fabric is the chart for networks between nodes: the RDMA device plugin, and the settings that
// NCCL reads.
func Fabric() fs.FS { return chart("fabric") }

// LocalVolumes is the chart of a cache tier: it offers the disks of nodes as volumes.
func LocalVolumes() fs.FS { return chart("localvolumes") }

// S3Credentials is the chart that keeps the keys of an S3 server in a Secret.
func S3Credentials() fs.FS { return chart("s3credentials") }

// Monitoring is the chart for what is made of rules and dashboards, and for what Prometheus needs
// beside its own chart.
func Monitoring() fs.FS { return chart("monitoring") }

// CephObjectUser is the chart of an account on the object store of a Rook cluster.
func CephObjectUser() fs.FS { return chart("cephobjectuser") }

func chart(name string) fs.FS {
	folder, err := fs.Sub(files, name)
	if err != nil {
		panic(fmt.Sprintf("the chart %s is not part of the program: %v", name, err)) // only an invalid name
	}
	return folder
}
