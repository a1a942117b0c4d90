// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartvalues

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// ConfigNone is the name of the device plugin's configuration for nodes of no pool, or of one
// that neither cuts nor shares its GPUs.
const ConfigNone = "trainyard-none"

// pluginConfig is a configuration of NVIDIA's device plugin (api/config/v1 of
// NVIDIA/k8s-device-plugin).
type pluginConfig struct {
	Version string         `json:"version"`
	Flags   map[string]any `json:"flags"`
	Sharing *sharing       `json:"sharing,omitempty"`
}

type sharing struct {
	TimeSlicing timeSlicing `json:"timeSlicing"`
}

type timeSlicing struct {
	Resources []shared `json:"resources"`
}

type shared struct {
	Name     string `json:"name"`
	Replicas int    `json:"replicas"`
}

// NVIDIADevicePlugin are the values of the chart nvidia-device-plugin: one configuration for each
// pool that cuts or shares its GPUs, which the nodes choose by their label
// nvidia.com/device-plugin.config.
func NVIDIADevicePlugin(pools map[string]spec.Pool) (map[string]any, error) {
	configs, err := pluginConfigs(pools)
	if err != nil || len(configs) == 0 {
		return map[string]any{}, err
	}
	return map[string]any{"config": map[string]any{"default": ConfigNone, "map": configs}}, nil
}

// GPUOperator are the values of the chart gpu-operator: the same configurations, and whether it
// installs the driver.
func GPUOperator(pools map[string]spec.Pool, driver bool) (map[string]any, error) {
	values := map[string]any{"driver": map[string]any{"enabled": driver}, "mig": map[string]any{"strategy": strategy(pools)}}
	configs, err := pluginConfigs(pools)
	if err == nil && len(configs) > 0 {
		values["devicePlugin"] = map[string]any{"config": map[string]any{
			"create": true, "name": "trainyard-device-plugin", "default": ConfigNone, "data": configs,
		}}
	}
	return values, err
}

// strategy is the operator's own word for all nodes: mixed as soon as one pool wants that, since
// the configurations of the others say single.
func strategy(pools map[string]spec.Pool) string {
	for _, pool := range pools {
		if pool.MIG != nil && pool.MIG.Strategy == "mixed" {
			return "mixed"
		}
	}
	return "single"
}

func pluginConfigs(pools map[string]spec.Pool) (map[string]any, error) {
	configs := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		pool := pools[name]
		if !pool.SharesGPUs() {
			continue
		}
		text, err := yaml.Marshal(configOf(pool))
		if err != nil {
			return nil, fmt.Errorf("write the device plugin's configuration of pool %s: %w", name, err)
		}
		configs[name] = string(text)
	}
	if len(configs) == 0 {
		return nil, nil
	}
	text, err := yaml.Marshal(pluginConfig{Version: "v1", Flags: map[string]any{"migStrategy": "none"}})
	configs[ConfigNone] = string(text)
	return configs, err
}

func configOf(pool spec.Pool) pluginConfig {
	c := pluginConfig{Version: "v1", Flags: map[string]any{"migStrategy": "none"}}
	resource := "nvidia.com/gpu"
	if pool.MIG != nil {
		c.Flags["migStrategy"] = pool.MIG.Strategy
		if pool.MIG.Strategy == "mixed" {
			resource = "nvidia.com/mig-" + pool.MIG.Profile
		}
	}
	if pool.TimeSlices > 1 {
		c.Sharing = &sharing{TimeSlicing: timeSlicing{Resources: []shared{{Name: resource, Replicas: pool.TimeSlices}}}}
	}
	return c
}
