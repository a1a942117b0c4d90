// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"maps"
)

// The labels of one GPU as its exporter gives them, and those that a scrape adds: whoever has
// the GPU stands in exported_namespace and exported_pod, because the target has both too.
const (
	oneGPU  = `gpu="3",UUID="GPU-3",modelName="NVIDIA H100 80GB HBM3",Hostname="gpu-01"`
	scraped = oneGPU + `,namespace="monitoring",pod="dcgm-exporter-x7k2p"`
	owned   = scraped + `,exported_namespace="vision",exported_pod="train-0"`
	// Where labels are honoured, and where an outside Prometheus adds none.
	honoured     = oneGPU + `,namespace="vision",pod="train-0"`
	honouredIdle = scraped
	outsideIdle  = oneGPU
)

// gpu is a series of the GPU exporter.
func gpu(metric, labels, values string) [2]string {
	return [2]string{"DCGM_FI_" + metric + "{" + labels + "}", values}
}

// normal are the labels that recorded series of the GPU have, with more.
func normal(more map[string]string) map[string]string {
	labels := map[string]string{"gpu": "3", "UUID": "GPU-3", "modelName": "NVIDIA H100 80GB HBM3", "node": "gpu-01"}
	maps.Copy(labels, more)
	return labels
}

var (
	ofVision = normal(map[string]string{"namespace": "vision", "pod": "train-0"})
	raw      = map[string]string{
		"gpu": "3", "UUID": "GPU-3", "modelName": "NVIDIA H100 80GB HBM3", "Hostname": "gpu-01",
		"namespace": "monitoring", "pod": "dcgm-exporter-x7k2p",
	}
)

func gpuFires() []fire {
	idle := []firing{{ofVision, "GPU 3 of gpu-01 is at 20 % for vision/train-0"}}
	mig := normal(map[string]string{"namespace": "vision", "pod": "train-0", "GPU_I_ID": "7"})
	return []fire{
		{"a pod has it and hardly uses it", "GPUUnderused", [][2]string{gpu("DEV_GPU_UTIL", owned, "20x90")}, 0, idle},
		{"labels are honoured", "GPUUnderused", [][2]string{gpu("DEV_GPU_UTIL", honoured, "20x90")}, 0, idle},
		{"a busy second now and then does not reset it", "GPUUnderused", [][2]string{
			gpu("DEV_GPU_UTIL", owned, "0x9 100 0x29 100 0x14 0x30"),
		}, 0, []firing{{ofVision, "GPU 3 of gpu-01 is at 0 % for vision/train-0"}}},
		{"it worked before", "GPUUnderused", [][2]string{gpu("DEV_GPU_UTIL", owned, "100x9 0x90")}, 12 * minute, []firing{
			{ofVision, "GPU 3 of gpu-01 is at 0 % for vision/train-0"},
		}},
		{"a MIG partition, which only the profiler sees", "GPUUnderused", [][2]string{
			gpu("PROF_GR_ENGINE_ACTIVE", owned+`,GPU_I_ID="7"`, "0.2x90"),
		}, 0, []firing{{mig, "GPU 3 of gpu-01 is at 20 % for vision/train-0"}}},
		{"97 of 100", "GPUMemoryNearlyFull", [][2]string{
			gpu("DEV_FB_USED", owned, "97000x30"), gpu("DEV_FB_FREE", owned, "3000x30"),
		}, 0, []firing{{ofVision, "Memory of GPU 3 of gpu-01 is 97.0 % full"}}},
		{"kernels run all the time and fill half of the chip", "TrainingInefficient", [][2]string{
			gpu("DEV_GPU_UTIL", owned, "98x60"), gpu("PROF_SM_ACTIVE", owned, "0.45x60"),
		}, 0, []firing{{map[string]string{"namespace": "vision", "pod": "train-0"}, "The GPUs of vision/train-0 do work in 45 % of their cycles"}}},
		{"the time throttled grows", "GPUThrottledByHeat", [][2]string{
			gpu("DEV_THERMAL_VIOLATION", scraped, "0+2000000x40"),
		}, minute, []firing{{raw, "GPU 3 of gpu-01 slows down because of heat"}}},
		{"fallen off the bus", "GPUXid", [][2]string{gpu("DEV_XID_ERRORS", scraped, "0x4 79x10")}, 5 * minute, []firing{
			{raw, "GPU 3 of gpu-01 reported XID 79"},
		}},
		{"the first error", "GPUDoubleBitError", [][2]string{gpu("DEV_ECC_DBE_VOL_TOTAL", scraped, "0x4 1x10")}, 5 * minute, []firing{
			{raw, "GPU 3 of gpu-01 has 1 double-bit memory errors"},
		}},
		{"no spare row", "GPURowRemapFailed", [][2]string{gpu("DEV_ROW_REMAP_FAILURE", scraped, "0x4 1x10")}, 5 * minute, []firing{
			{raw, "GPU 3 of gpu-01 could not replace a bad row of memory"},
		}},
		{"the exporter of one node is gone", "GPUMetricsMissing", [][2]string{
			gpu("DEV_GPU_UTIL", scraped, "90x30"),
			{`kube_node_status_allocatable{node="gpu-01",resource="nvidia_com_gpu"}`, "8x30"},
			{`kube_node_status_allocatable{node="gpu-02",resource="nvidia_com_gpu"}`, "8x30"},
		}, 0, []firing{{map[string]string{"node": "gpu-02"}, "Nothing measures the 8 GPUs of gpu-02"}}},
	}
}

func gpuSilences() []silence {
	all := []silence{
		{"a GPU that trains", [][2]string{
			gpu("DEV_GPU_UTIL", owned, "96x100"), gpu("PROF_SM_ACTIVE", owned, "0.85x100"), gpu("PROF_PIPE_TENSOR_ACTIVE", owned, "0.4x100"),
			gpu("DEV_FB_USED", owned, "70000x100"), gpu("DEV_FB_FREE", owned, "10000x100"),
			gpu("DEV_XID_ERRORS", owned, "0x100"), gpu("DEV_ECC_DBE_VOL_TOTAL", owned, "0x100"), gpu("DEV_ROW_REMAP_FAILURE", owned, "0x100"),
			gpu("DEV_THERMAL_VIOLATION", owned, "5000x100"),
			{`kube_node_status_allocatable{node="gpu-01",resource="nvidia_com_gpu"}`, "8x100"},
		}},
		{"half an hour of loading data", [][2]string{gpu("DEV_GPU_UTIL", owned, "10x30 96x70")}},
		{"a GPU that is idle for a pod after pod", [][2]string{
			gpu("DEV_GPU_UTIL", owned, "0x40 _x60"),
			gpu("DEV_GPU_UTIL", scraped+`,exported_namespace="vision",exported_pod="train-1"`, "_x41 0x58"),
		}},
		{"a GPU that is idle for its pod is not inefficient", [][2]string{
			gpu("DEV_GPU_UTIL", owned, "40x50"), gpu("PROF_SM_ACTIVE", owned, "0.1x50"),
		}},
	}
	for name, labels := range map[string]string{
		"nobody has the GPU": scraped, "nobody has it, labels are honoured": honouredIdle, "nobody has it, seen from outside": outsideIdle,
	} {
		all = append(all, silence{name, [][2]string{
			gpu("DEV_GPU_UTIL", labels, "0x100"), gpu("PROF_SM_ACTIVE", labels, "0x100"),
		}})
	}
	var xids [][2]string
	for _, xid := range []int{13, 31, 43, 45, 63, 68, 92, 94, 121, 126, 154} {
		xids = append(xids, gpu("DEV_XID_ERRORS", fmt.Sprintf("Hostname=\"gpu-%d\"", xid), fmt.Sprintf("%dx30", xid)))
	}
	all = append(all, silence{"an XID that a program causes or that informs", xids})
	return all
}
