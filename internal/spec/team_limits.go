// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"maps"
	"strings"
)

// Limits bounds single containers, pods and claims, and says what a container gets
// that asks for nothing.
type Limits struct {
	Container ContainerLimits
	Pod       PodLimits
	Claim     ClaimLimits
}

// ContainerLimits are the limits of one container, by resource.
type ContainerLimits struct {
	// Default and DefaultRequest are the limit and the request of a container that
	// states none.
	Default, DefaultRequest Resources
	Min, Max                Resources
	// MaxRatio is the most that limit divided by request may be.
	MaxRatio Resources
}

// PodLimits are the limits of the sum over a pod's containers, by resource.
type PodLimits struct {
	Min, Max, MaxRatio Resources
}

// ClaimLimits are the least and the most storage that one claim may ask for; "" is no bound.
type ClaimLimits struct {
	Min, Max string
}

// Empty says whether no container limit is set.
func (c ContainerLimits) Empty() bool {
	return len(c.Default) == 0 && len(c.DefaultRequest) == 0 && len(c.Min) == 0 && len(c.Max) == 0 && len(c.MaxRatio) == 0
}

// Empty says whether no pod limit is set.
func (p PodLimits) Empty() bool {
	return len(p.Min) == 0 && len(p.Max) == 0 && len(p.MaxRatio) == 0
}

// Empty says whether no claim limit is set.
func (c ClaimLimits) Empty() bool {
	return c.Min == "" && c.Max == ""
}

// Complete fills in the defaults that follow from the other limits, so that they are
// owned and compared like those that were given. For cpu, memory and the like it
// follows the API server: the default limit is the maximum, the default request is the
// default limit or else the minimum. A device is different: by the server's rule a
// maximum of 8 GPUs would hand 8 GPUs to each container that asks for none, so the
// default of a device is its minimum or else 0.
func (c ContainerLimits) Complete() ContainerLimits {
	limit, request := maps.Clone(c.Default), maps.Clone(c.DefaultRequest)
	fill := func(defaults *Resources, name, value string) {
		if *defaults == nil {
			*defaults = Resources{}
		}
		if _, given := (*defaults)[name]; !given {
			(*defaults)[name] = value
		}
	}
	for name := range c.DefaultRequest {
		if !overcommitted(name) {
			fill(&limit, name, c.DefaultRequest[name])
		}
	}
	for name, most := range c.Max {
		if isExtended(name) {
			most = c.leastDevices(name)
		}
		fill(&limit, name, most)
	}
	for name := range c.Min {
		if isExtended(name) {
			fill(&limit, name, c.leastDevices(name))
		}
	}
	for name, value := range limit {
		fill(&request, name, value)
	}
	for name, least := range c.Min {
		fill(&request, name, least)
	}
	c.Default, c.DefaultRequest = limit, request
	return c
}

func (c ContainerLimits) leastDevices(name string) string {
	if least, ok := c.Min[name]; ok {
		return least
	}
	return "0"
}

// Given is the inverse of Complete: it leaves out every default that Complete would
// fill in again.
func (c ContainerLimits) Given() ContainerLimits {
	c.DefaultRequest = c.without(c.DefaultRequest, func(l *ContainerLimits) *Resources { return &l.DefaultRequest })
	c.Default = c.without(c.Default, func(l *ContainerLimits) *Resources { return &l.Default })
	return c
}

// without drops from defaults each value that Complete derives when it is not given.
func (c ContainerLimits) without(defaults Resources, field func(*ContainerLimits) *Resources) Resources {
	bare := c
	*field(&bare) = nil
	derived := bare.Complete()
	kept := Resources{}
	for name, value := range defaults {
		if text, ok := (*field(&derived))[name]; !ok || !EqualQuantities(text, value) {
			kept[name] = value
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// overcommitted says whether the limit of a resource may be above its request.
func overcommitted(name string) bool {
	return !isExtended(name) && !strings.HasPrefix(name, "hugepages-")
}
