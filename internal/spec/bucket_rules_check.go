// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func checkLifecycle(v *Violations, at Path, rules []LifecycleRule) {
	if len(rules) > maxLifecycleRules {
		v.Add(at, fmt.Sprintf("Give at most %d", maxLifecycleRules), "there are %d rules", len(rules))
	}
	seen := map[string]bool{}
	for i, rule := range rules {
		rule.check(v, at.At(i))
		if seen[rule.ID] && rule.ID != "" {
			v.Add(at.At(i, "id"), "Give each rule an ID of its own", "the ID %q is there twice", rule.ID)
		}
		seen[rule.ID] = true
	}
}

func (r LifecycleRule) check(v *Violations, at Path) {
	switch {
	case r.ID == "":
		v.Add(at.At("id"), `Name the rule, such as "archive"`, "the rule has no ID")
	case len(r.ID) > maxRuleID:
		v.Add(at.At("id"), fmt.Sprintf("Use at most %d characters", maxRuleID), "the ID has %d characters", len(r.ID))
	}
	if len(r.Prefix) > maxKeyBytes {
		v.Add(at.At("prefix"), fmt.Sprintf("Use at most %d bytes", maxKeyBytes), "the prefix has %d bytes, more than a key can have", len(r.Prefix))
	}
	checkPrintable(v, at.At("id"), r.ID)
	checkPrintable(v, at.At("prefix"), r.Prefix)
	checkPrintable(v, at.At("archive_class"), r.ArchiveClass)
	does := false
	for _, action := range []struct {
		attribute string
		days      int
	}{
		{"expire_after_days", r.ExpireAfterDays},
		{"archive_after_days", r.ArchiveAfterDays},
		{"expire_noncurrent_after_days", r.ExpireNoncurrentAfterDays},
		{"abort_uploads_after_days", r.AbortUploadsAfterDays},
	} {
		does = does || action.days != 0
		if action.days < 0 {
			v.Add(at.At(action.attribute), "Give at least 1, or leave it out", "%d is not a number of days", action.days)
		}
	}
	if !does {
		v.Add(at, "Say after how many days objects expire or are archived, or remove the rule", "the rule does nothing")
	}
	r.checkArchive(v, at)
}

func (r LifecycleRule) checkArchive(v *Violations, at Path) {
	switch {
	case r.ArchiveAfterDays != 0 && r.ArchiveClass == "":
		v.Add(at.At("archive_class"), `Name the storage class to move objects to, such as "GLACIER", or a tier of the server`, "the rule does not say where to archive")
	case r.ArchiveAfterDays == 0 && r.ArchiveClass != "":
		v.Add(at.At("archive_after_days"), "Say after how many days, or leave the class out", "the rule does not say when to archive")
	case r.ArchiveAfterDays > 0 && r.ExpireAfterDays > 0 && r.ArchiveAfterDays >= r.ExpireAfterDays:
		v.Add(at.At("archive_after_days"), fmt.Sprintf("Give less than %d, or expire objects later", r.ExpireAfterDays),
			"objects are archived after %d days and gone after %d", r.ArchiveAfterDays, r.ExpireAfterDays)
	}
}

func checkCORS(v *Violations, at Path, rules []CORSRule) {
	if len(rules) > maxCORSRules {
		v.Add(at, fmt.Sprintf("Give at most %d", maxCORSRules), "there are %d rules", len(rules))
	}
	for i, rule := range rules {
		rule.check(v, at.At(i))
	}
}

func (r CORSRule) check(v *Violations, at Path) {
	if len(r.Origins) == 0 {
		v.Add(at.At("origins"), `Name an origin, such as "https://notebooks.example.com"`, "the rule is for no origin")
	}
	if len(r.Methods) == 0 {
		v.Add(at.At("methods"), "Name at least one of "+strings.Join(CORSMethods, ", "), "the rule allows no method")
	}
	for i, method := range r.Methods {
		if !slices.Contains(CORSMethods, method) {
			v.Add(at.At("methods", i), "Use one of "+strings.Join(CORSMethods, ", "), "%q is not a method that CORS rules know", method)
		}
	}
	checkWildcards(v, at.At("origins"), r.Origins, 1)
	checkWildcards(v, at.At("headers"), r.Headers, 1)
	checkWildcards(v, at.At("expose_headers"), r.ExposeHeaders, 0)
	if r.MaxAgeSeconds < 0 {
		v.Add(at.At("max_age_seconds"), "Give at least 1, or leave it out", "%d is not a number of seconds", r.MaxAgeSeconds)
	}
}

// checkPrintable refuses what XML, in which S3 is written, does not keep as it is.
func checkPrintable(v *Violations, at Path, text string) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		v.Add(at, "Use characters that can be seen", "%q has control characters", text)
	}
}

// checkWildcards wants texts that are not empty, each with at most so many "*".
func checkWildcards(v *Violations, at Path, texts []string, most int) {
	for i, text := range texts {
		checkPrintable(v, at.At(i), text)
		if text == "" {
			v.Add(at.At(i), "Write a name, or leave it out", "it is empty")
		}
		if count := strings.Count(text, "*"); count > most {
			v.Add(at.At(i), fmt.Sprintf("Use at most %d", most), `%q has %d "*"`, text, count)
		}
	}
}
