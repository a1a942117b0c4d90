// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func TestBetweenSaysEveryDifferenceInALine(t *testing.T) {
	want := wanted(func(w *Want) {
		w.Versioning = "enabled"
		w.ObjectLock = &spec.ObjectLock{Mode: "compliance", Days: 365}
		w.Lifecycle = []spec.LifecycleRule{
			{ID: "archive", Prefix: "raw/", ArchiveAfterDays: 30, ArchiveClass: "GLACIER", ExpireAfterDays: 90},
			{ID: "new", ExpireNoncurrentAfterDays: 1, AbortUploadsAfterDays: 2},
			{ID: "edited", ExpireAfterDays: 7},
			{ID: "same", ExpireAfterDays: 1},
		}
		w.QuotaBytes = "2Ti"
		w.CORS = []spec.CORSRule{{Origins: []string{"*"}, Methods: []string{"GET"}}}
	})
	have := Have{
		Exists: true, Owner: "another", Versioning: "suspended", ObjectLock: &Lock{ObjectLock: spec.ObjectLock{Mode: "compliance"}, Years: 1},
		Lifecycle: []Rule{
			{LifecycleRule: spec.LifecycleRule{ID: "same", ExpireAfterDays: 1}},
			{LifecycleRule: spec.LifecycleRule{ID: "theirs", ExpireAfterDays: 5}, Else: []string{"Tag Key x Value y"}},
			{LifecycleRule: spec.LifecycleRule{ID: "archive", Prefix: "old/", ArchiveAfterDays: 30, ArchiveClass: "DEEP", ExpireAfterDays: 30}},
			{LifecycleRule: spec.LifecycleRule{ID: "edited", ExpireAfterDays: 7}, Else: []string{"disabled"}},
		},
		QuotaBytes: 1 << 30,
		CORS:       []spec.CORSRule{{Origins: []string{"*"}, Methods: []string{"GET"}}, {Origins: []string{"b", "a"}, Methods: []string{"PUT"}}},
	}
	lines := []string{
		`bucket datasets: owner: "another" -> "tier/datasets"`,
		`bucket datasets: versioning: suspended -> enabled`,
		`bucket datasets: object lock: compliance for 1 year -> compliance for 365 days`,
		`bucket datasets: lifecycle rule "archive": prefix: "old/" -> "raw/"`,
		`bucket datasets: lifecycle rule "archive": archive after: 30 days to DEEP -> 30 days to GLACIER`,
		`bucket datasets: lifecycle rule "archive": expire after: 30 days -> 90 days`,
		`bucket datasets: lifecycle rule "new": none -> expire noncurrent versions after 1 day, abort uploads after 2 days`,
		`bucket datasets: lifecycle rule "edited": also: disabled -> none`,
		`bucket datasets: lifecycle rule "theirs": expire after 5 days, also Tag Key x Value y -> none`,
		`bucket datasets: quota: 1Gi -> 2Ti`,
		`bucket datasets: CORS rule 2: PUT from a, b -> none`,
	}
	if diff := cmp.Diff(lines, Lines(Between(want, have))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBetweenTakesTheSameMeaningForTheSame(t *testing.T) {
	want := wanted(func(w *Want) {
		w.Lifecycle = []spec.LifecycleRule{{ID: "a", ExpireAfterDays: 1}, {ID: "b", ExpireAfterDays: 2}}
		w.QuotaBytes = "1024Gi"
		w.CORS = []spec.CORSRule{{Origins: []string{"x", "y"}, Methods: []string{"GET", "PUT"}, Headers: []string{"X-A"}, ExposeHeaders: []string{"ETag"}}}
		w.Policy = readers
	})
	have := Have{
		Exists: true, Owner: want.Owner, Versioning: "enabled", ObjectLock: &Lock{}, // which are not wanted, and not ours
		Lifecycle:  []Rule{{LifecycleRule: want.Lifecycle[1]}, {LifecycleRule: want.Lifecycle[0]}},
		QuotaBytes: 1 << 40,
		CORS:       []spec.CORSRule{{Origins: []string{"y", "x"}, Methods: []string{"PUT", "GET"}, Headers: []string{"x-a"}, ExposeHeaders: []string{"etag", "ETag"}}},
		Policy:     strings.ReplaceAll(readers, `"s3:GetObject"`, ` [ "s3:GetObject" ] `),
	}
	if changes := Between(want, have); len(changes) > 0 {
		t.Error(Lines(changes))
	}
}

func TestTheOrderOfCORSRulesMatters(t *testing.T) {
	first, second := spec.CORSRule{Origins: []string{"a"}, Methods: []string{"GET"}}, spec.CORSRule{Origins: []string{"*"}, Methods: []string{"GET"}}
	want := wanted(func(w *Want) { w.CORS = []spec.CORSRule{first, second} })
	have := Have{Exists: true, Owner: want.Owner, CORS: []spec.CORSRule{second, first}}
	if changes := Between(want, have); len(changes) != 2 {
		t.Error(Lines(changes))
	}
}

func TestGivenRemembersWhatWasSet(t *testing.T) {
	want := wanted(everything)
	if diff := cmp.Diff(Given{Features: []Feature{Versioning, ObjectLock, CORS, Policy}}, want.Given()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	both := Given{Features: []Feature{Quota}}.And(Given{Features: []Feature{Policy, Versioning}})
	if diff := cmp.Diff(Given{Features: []Feature{Versioning, Quota, Policy}}, both); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNothingIsLeftOfRandomWants holds for a server that shows what it was given, its lists in
// another order.
func TestNothingIsLeftOfRandomWants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for range 2000 {
		first, second := randomWant(random), randomWant(random)
		second.Before = first.Given()
		have := applied(first, Have{Exists: true}, random)
		if changes := Between(first, have); len(changes) > 0 {
			t.Fatalf("%+v: left %v", first, Lines(changes))
		}
		changed += len(Between(second, have))
		have = applied(second, have, random)
		if changes := Between(second, have); len(changes) > 0 {
			t.Fatalf("%+v after %+v: left %v", second, first, Lines(changes))
		}
	}
	if changed < 2000 {
		t.Errorf("only %d changes in 2000 pairs: they are too much alike to show anything", changed)
	}
}

func randomWant(random *rand.Rand) Want {
	maybe := func() bool { return random.IntN(2) == 0 }
	want := wanted(func(w *Want) { w.Owner = []string{"", "a", "b"}[random.IntN(3)] })
	if maybe() {
		want.Versioning = []string{"enabled", "suspended"}[random.IntN(2)]
	}
	if want.Versioning == "enabled" && maybe() {
		want.ObjectLock = &spec.ObjectLock{}
		if maybe() {
			want.ObjectLock = &spec.ObjectLock{Mode: "governance", Days: 1 + random.IntN(3)}
		}
	}
	if maybe() {
		want.Lifecycle = []spec.LifecycleRule{}
		for i := range random.IntN(4) {
			want.Lifecycle = append(want.Lifecycle, spec.LifecycleRule{
				ID: fmt.Sprint(i), Prefix: []string{"", "a/", "b/"}[random.IntN(3)], ExpireAfterDays: 1 + random.IntN(3), AbortUploadsAfterDays: random.IntN(3),
			})
		}
	}
	if maybe() {
		want.QuotaBytes = []string{"1Gi", "1024Mi", "2Ti", "5G"}[random.IntN(4)]
	}
	if maybe() {
		want.CORS = []spec.CORSRule{}
		for range random.IntN(3) {
			want.CORS = append(want.CORS, spec.CORSRule{Origins: []string{"a", "b"}[:1+random.IntN(2)], Methods: []string{"GET", "PUT"}, MaxAgeSeconds: random.IntN(3)})
		}
	}
	if maybe() {
		want.Policy = fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject"],"Resource":"r%d"},{"Effect":"Deny","Action":"s3:*"}]}`, random.IntN(3))
	}
	return want
}

// applied is what a bucket is once its changes are carried out.
func applied(want Want, have Have, random *rand.Rand) Have {
	if want.Owner != "" {
		have.Owner = want.Owner
	}
	for _, change := range Between(want, have) {
		switch change.Feature {
		case Versioning:
			have.Versioning = change.To
		case ObjectLock:
			have.ObjectLock = &Lock{}
			if want.ObjectLock != nil {
				have.ObjectLock.ObjectLock = *want.ObjectLock
			}
		case Lifecycle:
			have.Lifecycle = nil
			for _, i := range random.Perm(len(want.Lifecycle)) {
				have.Lifecycle = append(have.Lifecycle, Rule{LifecycleRule: want.Lifecycle[i]})
			}
		case Quota:
			have.QuotaBytes, _ = want.quota()
		case CORS:
			have.CORS = slices.Clone(want.CORS)
			for i := range have.CORS {
				have.CORS[i].Origins = slices.Clone(have.CORS[i].Origins)
				slices.Reverse(have.CORS[i].Origins)
			}
		case Policy:
			have.Policy = strings.ReplaceAll(want.Policy, `["s3:GetObject","s3:PutObject"]`, `[ "s3:PutObject", "s3:GetObject" ]`)
		}
	}
	return have
}
