// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"
)

// licenses are the identifiers of the SPDX list that entries use, and whether each asks who
// passes a program on, or runs a changed one for others, to give its source.
var licenses = map[string]bool{
	"AGPL-3.0-only":    true,
	"Apache-2.0":       false,
	"BSD-3-Clause":     false,
	"GPL-2.0-only":     true,
	"GPL-2.0-or-later": true,
	"MIT":              false,
	"UPL-1.0":          false,
}

func TestLicensesAreKnownAndCopyleftIsExplained(t *testing.T) {
	for _, chart := range Charts() {
		for _, id := range strings.Fields(chart.License) {
			if id == "AND" || id == "OR" {
				continue
			}
			copyleft, known := licenses[id]
			if !known {
				t.Errorf("%s: %q is no licence that this test knows; look it up in the SPDX list and add it here", chart.Name, id)
			}
			if copyleft && !strings.Contains(strings.ToLower(chart.LicenseNote), "copyleft") {
				t.Errorf("%s: %s is copyleft, and license_note does not say what that asks of whom", chart.Name, id)
			}
		}
	}
}

func TestWhatIsRetiredOrFrozenSaysWhatInstead(t *testing.T) {
	for _, name := range []string{"ingress-nginx", "minio"} {
		chart, _ := ChartNamed(name)
		if !strings.Contains(chart.Retired, "For a new") {
			t.Errorf("%s: retired says %q, which names nothing to use instead", name, chart.Retired)
		}
	}
	minio, _ := ChartNamed("minio")
	for _, image := range minio.Images {
		if !strings.Contains(image.Frozen, "image of your own") {
			t.Errorf("minio: %s does not say that the image is the user's to name", image.Default)
		}
	}
}
