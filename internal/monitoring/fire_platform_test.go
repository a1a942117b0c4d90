// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"slices"
	"strings"
)

// per counts a rate a second up in steps of a minute, from far above zero, as a counter that has
// run for long.
func per(second float64, minutes int) string { return fmt.Sprintf("1e12+%.0fx%d", second*60, minutes) }

// pattern is a counter whose rate a second repeats, a minute each.
func pattern(minutes int, seconds ...float64) string {
	total, values := 1e12, make([]string, 0, minutes)
	for i := range minutes {
		values = append(values, fmt.Sprintf("%.0f", total))
		total += 60 * seconds[i%len(seconds)]
	}
	return strings.Join(values, " ")
}

const (
	host = `instance="10.0.0.1:9100"`
	port = host + `,device="mlx5_0",port="1"`
	link = 50e9 // bytes a second of a 400 Gb/s port
)

var uname = [2]string{"node_uname_info{" + host + `,nodename="gpu-01"}`, "1x100"}

// traffic are the series of a port that sends and receives.
func traffic(sent, received string) [][2]string {
	return [][2]string{
		uname,
		{"node_infiniband_rate_bytes_per_second{" + port + "}", "50e9x100"},
		{"node_infiniband_port_data_transmitted_bytes_total{" + port + "}", sent},
		{"node_infiniband_port_data_received_bytes_total{" + port + "}", received},
	}
}

// drive are the series of an NVMe drive.
func drive(name string, bytes, inFlight float64, minutes int) [][2]string {
	at := fmt.Sprintf("{%s,device=%q}", host, name)
	return [][2]string{
		{"node_disk_read_bytes_total" + at, per(bytes, minutes)}, {"node_disk_read_time_seconds_total" + at, per(inFlight, minutes)},
	}
}

// mount are the series of an NFS mount.
func mount(bytes, inFlight float64, minutes int) [][2]string {
	const at = host + `,export="nas:/data",protocol="tcp",mountaddr="10.0.9.9"`
	return [][2]string{
		uname,
		{"node_mountstats_nfs_total_read_bytes_total{" + at + "}", per(bytes, minutes)},
		{"node_mountstats_nfs_operations_request_time_seconds_total{" + at + `,operation="READ"}`, per(inFlight, minutes)},
		{"node_mountstats_nfs_operations_request_time_seconds_total{" + at + `,operation="WRITE"}`, per(64, minutes)},
	}
}

// osd are the series of a Ceph cluster; bucket those of MinIO.
func osd(bytes, inFlight float64, minutes int) [][2]string {
	const at = `{namespace="rook-ceph",ceph_daemon="osd.0"}`
	return [][2]string{{"ceph_osd_op_r_out_bytes" + at, per(bytes, minutes)}, {"ceph_osd_op_r_latency_sum" + at, per(inFlight, minutes)}}
}

func bucket(bytes float64, inFlight, minutes int) [][2]string {
	return [][2]string{
		{`minio_s3_traffic_sent_bytes{namespace="minio",server="a"}`, per(bytes, minutes)},
		{`minio_s3_requests_inflight_total{namespace="minio",server="a",api="getobject"}`, fmt.Sprintf("%dx%d", inFlight, minutes)},
	}
}

// queue are the series of a queue, amounts in GPUs.
func queue(has, deserves, asks, gangs int) [][2]string {
	of := func(what string, amount int) [2]string {
		return [2]string{`volcano_queue_` + what + `_scalar_resources{queue_name="llm",resource="nvidia.com/gpu"}`, fmt.Sprintf("%dx90", amount*1000)}
	}
	return [][2]string{
		of("allocated", has), of("deserved", deserves), of("request", asks),
		{`volcano_queue_pod_group_pending_count{queue_name="llm"}`, fmt.Sprintf("%dx90", gangs)},
	}
}

func quota(used, hard int) [][2]string {
	of := func(kind string, amount int) [2]string {
		return [2]string{fmt.Sprintf(`kube_resourcequota{namespace="vision",resourcequota="team",resource="requests.nvidia.com/gpu",type=%q}`, kind), fmt.Sprintf("%dx60", amount)}
	}
	return [][2]string{of("used", used), of("hard", hard)}
}

func taint(key, value, values string) [2]string {
	return [2]string{fmt.Sprintf(`kube_node_spec_taint{node="gpu-05",key=%q,value=%q,effect="NoSchedule"}`, key, value), values}
}

const ours = "trainyard.io/validation"

func platformFires() []fire {
	onPort := map[string]string{"node": "gpu-01", "device": "mlx5_0", "port": "1"}
	starved := map[string]string{"queue": "llm", "resource": "nvidia.com/gpu"}
	return []fire{
		{"a transfer that never gets beyond half", "LinkBelowRate", traffic(per(0.5*link, 60), per(0.3*link, 60)), minute, []firing{
			{onPort, "Port 1 of mlx5_0 on gpu-01 has reached at most 50 % of its link"},
		}},
		{"the direction that carries more counts", "LinkBelowRate", traffic(per(0.1*link, 60), per(0.6*link, 60)), minute, []firing{
			{onPort, "Port 1 of mlx5_0 on gpu-01 has reached at most 60 % of its link"},
		}},
		{"two drives, slow together", "CacheReadSlow", slices.Concat([][2]string{uname}, drive("nvme0n1", 150e6, 4, 40), drive("nvme1n1", 100e6, 4, 40)), minute, []firing{
			{map[string]string{"node": "gpu-01"}, "gpu-01 reads its NVMe drives at 250 MB/s while reads wait"},
		}},
		{"forty loaders wait", "NFSReadSlow", mount(120e6, 40, 40), minute, []firing{
			{map[string]string{"node": "gpu-01"}, "gpu-01 reads NFS at 120 MB/s while reads wait"},
		}},
		{"forty readers wait", "SharedStorageReadSlow", osd(200e6, 40, 40), minute, []firing{
			{map[string]string{"namespace": "rook-ceph"}, "Ceph is read at 200 MB/s while reads wait"},
		}},
		{"twenty readers wait", "ObjectStorageReadSlow", bucket(300e6, 20, 40), minute, []firing{
			{map[string]string{"namespace": "minio"}, "MinIO is read at 300 MB/s while requests wait"},
		}},
		{"two PDUs together", "RackPowerHigh", [][2]string{
			{`rPDU2DeviceStatusPower{instance="pdu-a",rack="r1"}`, "2000x20"}, {`rPDU2DeviceStatusPower{instance="pdu-b",rack="r1"}`, "1900x20"},
		}, 0, []firing{{map[string]string{"rack": "r1", "source": "pdu"}, "Rack r1 draws 39.0 kW"}}},
		{"four servers together", "RackPowerHigh", [][2]string{
			{`ipmi_dcmi_power_consumption_watts{instance="bmc-1",rack="r2"}`, "9900x20"},
			{`ipmi_dcmi_power_consumption_watts{instance="bmc-2",rack="r2"}`, "9900x20"},
			{`ipmi_dcmi_power_consumption_watts{instance="bmc-3",rack="r2"}`, "9900x20"},
			{`ipmi_dcmi_power_consumption_watts{instance="bmc-4",rack="r2"}`, "9900x20"},
		}, 0, []firing{{map[string]string{"rack": "r2", "source": "ipmi"}, "Rack r2 draws 39.6 kW"}}},
		{"over Redfish", "RackPowerHigh", [][2]string{{`idrac_power_control_consumed_watts{instance="chassis",rack="r3",id="0"}`, "36000x20"}}, 0, []firing{
			{map[string]string{"rack": "r3", "source": "redfish"}, "Rack r3 draws 36.0 kW"},
		}},
		{"a BMC without a rack", "InletTemperatureHigh", [][2]string{{`ipmi_temperature_celsius{instance="bmc-1",name="Inlet Temp"}`, "31x20"}}, 0, []firing{
			{map[string]string{"rack": "bmc-1", "source": "ipmi"}, "The air that rack bmc-1 takes in has 31 °C"},
		}},
		{"a sensor at a PDU", "InletTemperatureHigh", [][2]string{{`rPDU2SensorTempHumidityStatusTempC{instance="pdu-a",rack="r1"}`, "295x20"}}, 0, []firing{
			{map[string]string{"rack": "r1", "source": "pdu"}, "The air that rack r1 takes in has 30 °C"},
		}},
		{"over Redfish", "InletTemperatureHigh", [][2]string{{`idrac_sensors_temperature{instance="i",rack="r3",name="System Board Inlet Temp",units="celsius"}`, "29x20"}}, 0, []firing{
			{map[string]string{"rack": "r3", "source": "redfish"}, "The air that rack r3 takes in has 29 °C"},
		}},
		{"it waits, is tried and fails", "NodeNotAdmitted", [][2]string{
			taint(ours, "pending", "1x29 stale"), taint(ours, "running", "_x30 1x9 stale"), taint(ours, "failed", "_x40 1x60"),
		}, 0, []firing{{map[string]string{"node": "gpu-05"}, "gpu-05 has not been admitted for 1h"}}},
		{"a check fails", "NodeCheckFailed", [][2]string{{`trainyard_nodecheck_result{node="gpu-05",check="hbm",result="fail"}`, "1x20"}}, 0, []firing{
			{map[string]string{"node": "gpu-05", "check": "hbm"}, "gpu-05 failed the check hbm"},
		}},
		{"pods wait", "QueueStarved", queue(8, 32, 40, 0), 0, []firing{{starved, "Queue llm waits and has 25 % of the nvidia.com/gpu that it deserves"}}},
		{"gangs wait that have no pods yet", "QueueStarved", queue(8, 16, 8, 2), 0, []firing{
			{starved, "Queue llm waits and has 50 % of the nvidia.com/gpu that it deserves"},
		}},
		{"all is used", "QuotaExhausted", quota(16, 16), 0, []firing{
			{map[string]string{"namespace": "vision", "resourcequota": "team", "resource": "requests.nvidia.com/gpu"}, "Quota team of vision is at 100 % of requests.nvidia.com/gpu"},
		}},
	}
}

func platformSilences() []silence {
	return []silence{
		{"a link that is full", traffic(per(0.92*link, 100), per(0.9*link, 100))},
		{"a link that carries management traffic", traffic(per(0.03*link, 100), per(0.02*link, 100))},
		{"a link that is full in bursts", traffic(pattern(100, 0.9*link, 0.9*link, 0.9*link, 0.9*link, 0, 0, 0, 0, 0, 0), per(0, 100))},
		{"a link without a rate, which is down", [][2]string{
			uname,
			{"node_infiniband_rate_bytes_per_second{" + port + "}", "0x60"},
			{"node_infiniband_port_data_transmitted_bytes_total{" + port + "}", per(0.5*link, 60)},
			{"node_infiniband_port_data_received_bytes_total{" + port + "}", per(0.5*link, 60)},
		}},
		{"a cache that is fast", slices.Concat([][2]string{uname}, drive("nvme0n1", 3e9, 16, 100))},
		{"a cache that is read now and then", slices.Concat([][2]string{uname}, drive("nvme0n1", 20e6, 0.1, 100))},
		{"a disk that is no cache", slices.Concat([][2]string{uname}, drive("sda", 20e6, 9, 100))},
		{"a mount that is fast", mount(2e9, 40, 100)},
		{"a mount that is written to", mount(1e6, 0.5, 100)},
		{"Ceph that is fast", osd(12e9, 100, 100)},
		{"Ceph with one slow reader", osd(50e6, 1, 100)},
		{"MinIO that is fast", bucket(4e9, 64, 100)},
		{"MinIO with one slow reader", bucket(50e6, 1, 100)},
		{"MinIO that is written to", [][2]string{
			{`minio_s3_traffic_sent_bytes{namespace="minio",server="a"}`, per(1e6, 60)},
			{`minio_s3_requests_inflight_total{namespace="minio",server="a",api="putobject"}`, "64x60"},
		}},
		{"a rack within its feed", [][2]string{
			{`rPDU2DeviceStatusPower{instance="pdu-a",rack="r1"}`, "1500x60"},
			{`rPDU2DeviceStatusPower{instance="pdu-b",rack="r1"}`, "1500x60"},
			{`rPDU2DeviceStatusPower{instance="pdu-a",rack="r2"}`, "-1x60"},
			{`ipmi_dcmi_power_consumption_watts{instance="bmc-1",rack="r1"}`, "9900x60"},
		}},
		{"cool air and warm chips", [][2]string{
			{`rPDU2SensorTempHumidityStatusTempC{instance="pdu-a",rack="r1"}`, "235x60"},
			{`ipmi_temperature_celsius{instance="bmc-1",rack="r1",name="Inlet Temp"}`, "24x60"},
			{`ipmi_temperature_celsius{instance="bmc-1",rack="r1",name="CPU1 Temp"}`, "81x60"},
			{`idrac_sensors_temperature{instance="i",rack="r1",name="Inlet Temp",units="celsius"}`, "24x60"},
			{`idrac_sensors_temperature{instance="i",rack="r1",name="Exhaust Temp",units="celsius"}`, "48x60"},
		}},
		{"a node that is admitted after half an hour", [][2]string{taint(ours, "pending", "1x30 stale")}},
		{"a node with another taint", [][2]string{taint("nvidia.com/gpu", "present", "1x100")}},
		{"checks that pass, or could not be run", [][2]string{
			{`trainyard_nodecheck_result{node="gpu-01",check="hbm",result="pass"}`, "1x60"},
			{`trainyard_nodecheck_result{node="gpu-01",check="hbm",result="fail"}`, "0x60"},
			{`trainyard_nodecheck_result{node="gpu-01",check="rdma",result="skip"}`, "1x60"},
		}},
		{"a queue that has what it deserves and wants more", queue(32, 32, 64, 3)},
		{"a queue that has all that it wants", queue(8, 32, 8, 0)},
		{"a queue that deserves nothing", queue(0, 0, 8, 1)},
		{"a quota with room", quota(15, 16)},
		{"a quota of nothing", quota(0, 0)},
	}
}
