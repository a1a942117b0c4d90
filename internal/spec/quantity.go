// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Resources maps a resource name (cpu, memory, nvidia.com/gpu) to a quantity as
// Kubernetes writes it (8, 500m, 1Ti).
type Resources map[string]string

// Names returns the resource names in order.
func (r Resources) Names() []string {
	return slices.Sorted(maps.Keys(r))
}

// maxQuantity bounds what is parsed: no quantity that means something is longer,
// and the parser's time grows with the number of digits.
const maxQuantity = 64

// maxExponent bounds an exponent with its letter and sign (e+18): the parser writes
// out the zeros, and those of 1e999999999 would fill the memory.
const maxExponent = 4

// tooMuch is where quantities end: the API server cuts amounts in binary units off
// there without a word, and writes larger decimal ones wrong.
var tooMuch = resource.MustParse("9223372036854775807")

// ParseQuantity reads a Kubernetes quantity that is not negative.
func ParseQuantity(text string) (resource.Quantity, error) {
	if len(text) > maxQuantity {
		return resource.Quantity{}, fmt.Errorf("%q... is longer than %d characters", text[:16], maxQuantity)
	}
	if exponent := strings.IndexAny(text, "eE"); exponent >= 0 && len(text)-exponent > maxExponent {
		return resource.Quantity{}, fmt.Errorf("the exponent of %q is too long", text)
	}
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return resource.Quantity{}, fmt.Errorf("%q is not a quantity", text)
	}
	if quantity.Sign() < 0 {
		return resource.Quantity{}, fmt.Errorf("%q is negative", text)
	}
	if quantity.Cmp(tooMuch) >= 0 {
		return resource.Quantity{}, fmt.Errorf("%q is more than a quantity can hold", text)
	}
	return quantity, nil
}

// EqualQuantities says whether two texts mean the same amount: 1000m and 1, 1Ti and
// 1024Gi. Texts that are not quantities are equal only to themselves.
func EqualQuantities(a, b string) bool {
	if a == b {
		return true
	}
	qa, errA := ParseQuantity(a)
	qb, errB := ParseQuantity(b)
	return errA == nil && errB == nil && qa.Cmp(qb) == 0
}

// quantityRemedy is the advice for every malformed quantity.
const quantityRemedy = `Write a number with an optional suffix, such as "8", "500m", "64Gi" or "1Ti"`

// checkResources validates every name and quantity under path. Extended resources
// (those with a domain, such as nvidia.com/gpu) are counted in whole units.
func checkResources(v *Violations, path Path, resources Resources) {
	for _, name := range resources.Names() {
		at := path.At(Key(name))
		checkResourceName(v, at, name)
		quantity, err := ParseQuantity(resources[name])
		if err != nil {
			v.Add(at, quantityRemedy, "%s", err)
			continue
		}
		if isExtended(name) && quantity.MilliValue()%1000 != 0 {
			v.Add(at, "Give a whole number of devices", "%q is not a whole number, and %s is counted in whole units", resources[name], name)
		}
	}
}

// checkAtMost requires every quantity of low to be at most the one of the same name
// in high, where high has it.
func checkAtMost(v *Violations, path Path, low, high Resources, highName string) {
	for _, name := range low.Names() {
		limit, ok := high[name]
		if !ok {
			continue
		}
		ql, errL := ParseQuantity(low[name])
		qh, errH := ParseQuantity(limit)
		if errL == nil && errH == nil && ql.Cmp(qh) > 0 {
			v.Add(path.At(Key(name)), fmt.Sprintf("Give at most %s, or raise %s", limit, highName),
				"%s is more than %s, which is %s", low[name], highName, limit)
		}
	}
}
