// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// maxPods is how many pods of a node may hold the shared RDMA devices at a time; more than a
// kubelet runs by default (110).
const maxPods = 128

// rdma says, for a fabric with RDMA, which link layer its devices have (ibv_port_attr).
var rdma = map[string]string{"infiniband": "infiniband", "roce": "ether"}

// ncclOf are the settings of NCCL that suit a fabric, by the names of NVIDIA's documentation of
// NCCL's environment variables. They are few: NCCL measures the rest better than a file knows it.
var ncclOf = map[string]map[string]string{
	// Mellanox devices alone: management ports of other makers are no fabric. Not the overlay of
	// the pods' network for the connections that set up the ring.
	"infiniband": {"NCCL_IB_HCA": "mlx5", "NCCL_SOCKET_IFNAME": "^lo,docker,veth,cni,cali"},
	// Version 2 of RoCE is the address at index 3 where the driver lists both versions for IPv4.
	"roce": {"NCCL_IB_HCA": "mlx5", "NCCL_IB_GID_INDEX": "3", "NCCL_SOCKET_IFNAME": "^lo,docker,veth,cni,cali"},
	// Without RDMA several threads and sockets fill a fast link; 16 sockets in all is NCCL's
	// documented advice for 100 Gbit/s.
	"ethernet": {"NCCL_IB_DISABLE": "1", "NCCL_SOCKET_NTHREADS": "4", "NCCL_NSOCKS_PERTHREAD": "4"},
}

// NCCL is the text of nccl.conf for each pool that has a fabric. own are settings of the
// configuration by pool, laid over those that suit the fabric; an empty one takes a setting out.
func NCCL(pools map[string]spec.Pool, own map[string]map[string]string) map[string]string {
	texts := map[string]string{}
	for name, pool := range pools {
		settings := maps.Clone(ncclOf[pool.Fabric])
		if settings == nil && len(own[name]) == 0 {
			continue
		}
		if settings == nil {
			settings = map[string]string{}
		}
		maps.Copy(settings, own[name])
		var text strings.Builder
		for _, key := range slices.Sorted(maps.Keys(settings)) {
			if settings[key] != "" {
				fmt.Fprintf(&text, "%s=%s\n", key, settings[key])
			}
		}
		texts[name] = text.String()
	}
	return texts
}

// Fabric are the values of our chart fabric; nil where no pool needs anything of it. image is
// that of the RDMA device plugin, "" for the chart's own.
func Fabric(pools map[string]spec.Pool, f spec.Fabric) map[string]any {
	nccl := map[string]any{}
	for pool, text := range NCCL(pools, f.NCCL) {
		nccl[pool] = text
	}
	links := map[string]bool{}
	for _, pool := range pools {
		if rdma[pool.Fabric] != "" {
			links[pool.Fabric] = true
		}
	}
	if len(nccl) == 0 && len(links) == 0 {
		return nil
	}
	resources, fabrics := []any{}, []any{}
	for _, fabric := range slices.Sorted(maps.Keys(links)) {
		fabrics = append(fabrics, fabric)
		resources = append(resources, map[string]any{
			"resourceName": fabric, "rdmaHcaMax": int64(maxPods),
			"selectors": map[string]any{"vendors": []any{"15b3"}, "linkTypes": []any{rdma[fabric]}},
		})
	}
	devices := map[string]any{"resources": resources, "fabrics": fabrics}
	if f.Image != "" {
		devices["image"] = f.Image
	}
	namespaces := []any{}
	for _, namespace := range f.Namespaces {
		namespaces = append(namespaces, namespace)
	}
	return map[string]any{"rdma": devices, "nccl": nccl, "namespaces": namespaces}
}
