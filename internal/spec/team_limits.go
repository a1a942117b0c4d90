// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
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

func (l Limits) check(v *Violations, path Path) {
	l.Container.check(v, path.At("container"))

	pod := path.At("pod")
	checkLimits(v, pod.At("min"), l.Pod.Min)
	checkLimits(v, pod.At("max"), l.Pod.Max)
	checkAtMost(v, pod.At("min"), l.Pod.Min, l.Pod.Max, pod.At("max").String())
	checkRatio(v, pod.At("max_limit_request_ratio"), l.Pod.MaxRatio, l.Pod.Min, l.Pod.Max)

	l.Claim.check(v, path.At("claim"))
}

// check compares what the user gave with what follows from the rest, so that a
// minimum over a maximum is found also through a default between them.
func (c ContainerLimits) check(v *Violations, path Path) {
	given := []struct {
		attribute string
		resources Resources
	}{{"min", c.Min}, {"default_request", c.DefaultRequest}, {"default", c.Default}, {"max", c.Max}}
	for _, low := range given {
		checkLimits(v, path.At(low.attribute), low.resources)
	}
	for i, low := range given {
		for _, high := range given[i+1:] {
			checkAtMost(v, path.At(low.attribute), low.resources, high.resources, path.At(high.attribute).String())
		}
	}
	for _, name := range c.DefaultRequest.Names() {
		limit, ok := c.Default[name]
		if ok && !overcommitted(name) && !EqualQuantities(limit, c.DefaultRequest[name]) {
			at := path.At("default_request", Key(name))
			v.Add(at, fmt.Sprintf("Give %s, or leave it out", limit),
				"%s is never overcommitted, so its request must equal its limit, which is %s", name, limit)
		}
	}
	checkRatio(v, path.At("max_limit_request_ratio"), c.MaxRatio, c.Min, c.Max)
}

// overcommitted says whether the limit of a resource may be above its request.
func overcommitted(name string) bool {
	return !isExtended(name) && !strings.HasPrefix(name, "hugepages-")
}

func checkLimits(v *Violations, path Path, resources Resources) {
	good := make(Resources, len(resources))
	for _, name := range resources.Names() {
		if !IsRequested(name) {
			v.Add(path.At(Key(name)), "Use cpu, memory, ephemeral-storage, hugepages-<size> or a device such as nvidia.com/gpu",
				"%q is not a resource that a container can ask for", name)
			continue
		}
		good[name] = resources[name]
	}
	checkResources(v, path, good)
}

func checkRatio(v *Violations, path Path, ratios, least, most Resources) {
	for _, name := range ratios.Names() {
		at := path.At(Key(name))
		if !IsRequested(name) {
			v.Add(at, "Use cpu, memory or ephemeral-storage", "%q is not a resource that a container can ask for", name)
			continue
		}
		ratio, err := ParseQuantity(ratios[name])
		switch {
		case err != nil:
			v.Add(at, `Write a number such as "2" or "1.5"`, "%s", err)
			continue
		case ratio.AsApproximateFloat64() < 1:
			v.Add(at, "Give 1 or more", "a limit is never below its request, so the ratio %s cannot be met", ratios[name])
			continue
		}
		low, errLow := ParseQuantity(least[name])
		high, errHigh := ParseQuantity(most[name])
		if errLow != nil || errHigh != nil || low.IsZero() {
			continue
		}
		if bound := high.AsApproximateFloat64() / low.AsApproximateFloat64(); ratio.AsApproximateFloat64() > bound {
			v.Add(at, fmt.Sprintf("Give at most %.3g", bound), "%s is more than max divided by min", ratios[name])
		}
	}
}

func (c ClaimLimits) check(v *Violations, path Path) {
	if c.Min != "" {
		checkQuantity(v, path.At("min"), c.Min)
	}
	if c.Max != "" {
		checkQuantity(v, path.At("max"), c.Max)
	}
	ql, errLow := ParseQuantity(c.Min)
	qh, errHigh := ParseQuantity(c.Max)
	if errLow == nil && errHigh == nil && ql.Cmp(qh) > 0 {
		v.Add(path.At("min"), fmt.Sprintf("Give at most %s, or raise %s", c.Max, path.At("max")),
			"%s is more than the largest claim, which is %s", c.Min, c.Max)
	}
}
