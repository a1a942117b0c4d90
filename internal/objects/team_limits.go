// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// The kinds of a LimitRange's items and their keys.
const (
	limitContainer = "Container"
	limitPod       = "Pod"
	limitClaim     = "PersistentVolumeClaim"

	keyType, keyMin, keyMax, keyRatio = "type", "min", "max", "maxLimitRequestRatio"
	keyDefault, keyDefaultRequest     = "default", "defaultRequest"

	resourceStorage = "storage"
)

func teamLimits(t spec.Team, o Owner) []*Object {
	var items []any
	if !t.Limits.Container.Empty() {
		// The API server fills in what follows; the list is ours as a whole, so it is
		// rendered here.
		c := t.Limits.Container.Complete()
		item := limitItem(limitContainer, c.Min, c.Max, c.MaxRatio)
		setMap(item, keyDefault, c.Default)
		setMap(item, keyDefaultRequest, c.DefaultRequest)
		items = append(items, item)
	}
	if p := t.Limits.Pod; !p.Empty() {
		items = append(items, limitItem(limitPod, p.Min, p.Max, p.MaxRatio))
	}
	if c := t.Limits.Claim; !c.Empty() {
		items = append(items, limitItem(limitClaim, storage(c.Min), storage(c.Max), nil))
	}
	if len(items) == 0 {
		return nil
	}
	limits := teamObject("v1", "LimitRange", LimitsName, t, o)
	limits.Object["spec"] = map[string]any{"limits": items}
	return []*Object{limits}
}

func limitItem(kind string, least, most, ratio spec.Resources) map[string]any {
	item := map[string]any{keyType: kind}
	setMap(item, keyMin, least)
	setMap(item, keyMax, most)
	setMap(item, keyRatio, ratio)
	return item
}

func storage(amount string) spec.Resources {
	if amount == "" {
		return nil
	}
	return spec.Resources{resourceStorage: amount}
}

func limitsInto(t *spec.Team, limits *Object) {
	if limits == nil {
		return
	}
	for _, item := range children(limits.Object, "spec", "limits") {
		least, most, ratio := textMap(item, keyMin), textMap(item, keyMax), textMap(item, keyRatio)
		switch nested[string](item, keyType) {
		case limitContainer:
			t.Limits.Container = spec.ContainerLimits{
				Default: textMap(item, keyDefault), DefaultRequest: textMap(item, keyDefaultRequest),
				Min: least, Max: most, MaxRatio: ratio,
			}.Given()
		case limitPod:
			t.Limits.Pod = spec.PodLimits{Min: least, Max: most, MaxRatio: ratio}
		case limitClaim:
			t.Limits.Claim = spec.ClaimLimits{Min: least[resourceStorage], Max: most[resourceStorage]}
		}
	}
}
