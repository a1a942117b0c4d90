// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Change is one thing about a bucket that is not as it should be.
type Change struct {
	Bucket  string
	Feature Feature
	// What is changed, and how: from what the bucket has to what is wanted.
	What, From, To string
}

// String is one line: bucket datasets: lifecycle rule "archive": expire after: 30 days -> 7 days.
func (c Change) String() string {
	if c.Feature == Existence {
		return fmt.Sprintf("bucket %s: create", c.Bucket)
	}
	return fmt.Sprintf("bucket %s: %s: %s -> %s", c.Bucket, c.What, c.From, c.To)
}

// Lines are the changes as text, one a line.
func Lines(changes []Change) []string {
	lines := make([]string, 0, len(changes))
	for _, change := range changes {
		lines = append(lines, change.String())
	}
	return lines
}

const none = "none"

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

func quoted(text string) string {
	if text == "" {
		return none
	}
	return fmt.Sprintf("%q", text)
}

func days(count int) string {
	if count == 0 {
		return none
	}
	return counted(count, "day")
}

func counted(count int, thing string) string {
	if count == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", count, thing)
}

// bytesText writes bytes as people do: 2Ti, 500G. 0 is no quota.
func bytesText(count int64) string {
	switch {
	case count == 0:
		return none
	case count%(1<<20) == 0:
		return resource.NewQuantity(count, resource.BinarySI).String()
	}
	return resource.NewQuantity(count, resource.DecimalSI).String()
}

func (l *Lock) text() string {
	switch {
	case l == nil:
		return none
	case l.Mode == "":
		return "without a default"
	case l.Years > 0:
		return fmt.Sprintf("%s for %s", l.Mode, counted(l.Years, "year"))
	}
	return fmt.Sprintf("%s for %s", l.Mode, days(l.Days))
}

// text is all that a rule does, in the order of its settings.
func (r Rule) text() string {
	var parts []string
	for _, part := range r.parts() {
		if part.text != none {
			parts = append(parts, part.name+" "+part.text)
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

type part struct{ name, text string }

// parts are the settings of a rule, each as text; two rules are the same where these are.
func (r Rule) parts() []part {
	archive := days(r.ArchiveAfterDays)
	if r.ArchiveClass != "" {
		archive += " to " + r.ArchiveClass
	}
	also := slices.Clone(r.Else)
	slices.Sort(also)
	return []part{
		{"prefix", quoted(r.Prefix)},
		{"archive after", archive},
		{"expire after", days(r.ExpireAfterDays)},
		{"expire noncurrent versions after", days(r.ExpireNoncurrentAfterDays)},
		{"abort uploads after", days(r.AbortUploadsAfterDays)},
		{"also", orNone(strings.Join(also, ", "))},
	}
}

// corsText is all that a CORS rule allows. Lists have no order, headers no case.
func corsText(rule spec.CORSRule) string {
	list := func(texts []string, fold func(string) string) string {
		folded := []string{}
		for _, text := range texts {
			folded = append(folded, fold(text))
		}
		slices.Sort(folded)
		return strings.Join(slices.Compact(folded), ", ")
	}
	same := func(text string) string { return text }
	text := fmt.Sprintf("%s from %s", list(rule.Methods, strings.ToUpper), list(rule.Origins, same))
	if headers := list(rule.Headers, strings.ToLower); headers != "" {
		text += " with " + headers
	}
	if exposed := list(rule.ExposeHeaders, strings.ToLower); exposed != "" {
		text += " showing " + exposed
	}
	if rule.MaxAgeSeconds != 0 {
		text += fmt.Sprintf(" for %d s", rule.MaxAgeSeconds)
	}
	return text
}
