// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// equal compares two scalars as their field means them.
func (d *differ) equal(path Path, want, have any) bool {
	if want == have || (empty(want) && empty(have)) {
		return true
	}
	ws, wok := want.(string)
	hs, hok := have.(string)
	if wok && hok {
		return under(quantities[d.kind], path) && spec.EqualQuantities(ws, hs)
	}
	wn, wok := number(want)
	hn, hok := number(have)
	if wok && wn == 0 && have == nil {
		return under(zeroIsNone[d.kind], path)
	}
	return wok && hok && wn == hn
}

// zeroIsNone names the numbers that the API leaves out where they are 0.
var zeroIsNone = map[string][]string{"Queue": {"spec.priority"}}

// under says whether path lies at or below one of the prefixes.
func under(prefixes []string, path Path) bool {
	if len(prefixes) == 0 {
		return false
	}
	text := path.String()
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		rest, ok := strings.CutPrefix(text, prefix)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// empty says whether a value is the same as none: the API drops empty maps and lists.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// number reads the integer and float forms that JSON decoders produce.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case int:
		return float64(v), true
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func child(parent any, key string) any {
	m, _ := parent.(map[string]any)
	return m[key]
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
