// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import "fmt"

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
