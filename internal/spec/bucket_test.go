// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func datasets() Bucket {
	return Bucket{
		Name: "datasets", Versioning: "enabled", ObjectLock: &ObjectLock{Mode: "governance", Days: 30},
		Lifecycle: []LifecycleRule{
			{ID: "archive", Prefix: "raw/", ArchiveAfterDays: 30, ArchiveClass: "GLACIER", ExpireAfterDays: 365},
			{ID: "tidy", ExpireNoncurrentAfterDays: 7, AbortUploadsAfterDays: 2},
		},
		QuotaBytes: "2Ti",
		CORS: []CORSRule{{
			Origins: []string{"https://*.example.com"}, Methods: []string{"GET", "HEAD"}, Headers: []string{"*"},
			ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: 600,
		}},
		Policy: `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::datasets/*"}]}`,
	}
}

func TestValidateBuckets(t *testing.T) {
	tests := map[string]struct {
		change func(*Bucket)
		want   []string // path: part of the problem
	}{
		"everything that a bucket can have": {change: func(*Bucket) {}},
		"a name and nothing else":           {change: func(b *Bucket) { *b = Bucket{Name: "a.b-c.9"} }},
		"lists that are empty":              {change: func(b *Bucket) { b.Lifecycle, b.CORS = []LifecycleRule{}, []CORSRule{} }},
		"a lock without a default":          {change: func(b *Bucket) { b.ObjectLock = &ObjectLock{} }},
		"a versioning state that is not one": {
			change: func(b *Bucket) { b.ObjectLock, b.Versioning = nil, "off" },
			want:   []string{`["main"].versioning: "off" is not known`},
		},
		"object lock without versioning": {
			change: func(b *Bucket) { b.Versioning = "suspended" },
			want:   []string{`["main"].object_lock: object lock keeps versions`},
		},
		"a mode of retention that is not one": {
			change: func(b *Bucket) { b.ObjectLock.Mode = "legal" },
			want:   []string{`["main"].object_lock.mode: "legal" is not known`},
		},
		"days without a mode": {
			change: func(b *Bucket) { b.ObjectLock.Mode = "" },
			want:   []string{`["main"].object_lock.mode: the days have no mode`},
		},
		"a mode without days": {
			change: func(b *Bucket) { b.ObjectLock.Days = 0 },
			want:   []string{`["main"].object_lock.days: 0 is not`},
		},
		"a rule that does nothing": {
			change: func(b *Bucket) { b.Lifecycle[1] = LifecycleRule{ID: "idle"} },
			want:   []string{`["main"].lifecycle[1]: the rule does nothing`},
		},
		"a rule without an ID": {
			change: func(b *Bucket) { b.Lifecycle[1].ID = "" },
			want:   []string{`["main"].lifecycle[1].id: the rule has no ID`},
		},
		"two rules of one ID": {
			change: func(b *Bucket) { b.Lifecycle[1].ID = "archive" },
			want:   []string{`["main"].lifecycle[1].id: the ID "archive" is there twice`},
		},
		"archiving what is gone": {
			change: func(b *Bucket) { b.Lifecycle[0].ExpireAfterDays = 30 },
			want:   []string{`["main"].lifecycle[0].archive_after_days: objects are archived after 30 days and gone after 30`},
		},
		"archiving to nowhere": {
			change: func(b *Bucket) { b.Lifecycle[0].ArchiveClass = "" },
			want:   []string{`["main"].lifecycle[0].archive_class: the rule does not say where`},
		},
		"archiving at no time": {
			change: func(b *Bucket) { b.Lifecycle[0].ArchiveAfterDays = 0 },
			want:   []string{`["main"].lifecycle[0].archive_after_days: the rule does not say when`},
		},
		"negative days": {
			change: func(b *Bucket) { b.Lifecycle[1].AbortUploadsAfterDays = -1 },
			want:   []string{`["main"].lifecycle[1].abort_uploads_after_days: -1 is not`},
		},
		"a prefix longer than a key": {
			change: func(b *Bucket) { b.Lifecycle[0].Prefix = strings.Repeat("a", 1025) },
			want:   []string{`["main"].lifecycle[0].prefix: the prefix has 1025 bytes`},
		},
		"what XML cannot hold": {
			change: func(b *Bucket) { b.Lifecycle[0].Prefix, b.CORS[0].Headers = "raw\n", []string{"x\x00"} },
			want:   []string{`["main"].lifecycle[0].prefix: "raw\n" has control`, `["main"].cors[0].headers[0]: "x\x00" has control`},
		},
		"a quota of nothing": {
			change: func(b *Bucket) { b.QuotaBytes = "0" },
			want:   []string{`["main"].quota: a bucket of 0 bytes`},
		},
		"a quota below nothing": {
			change: func(b *Bucket) { b.QuotaBytes = "-1Gi" },
			want:   []string{`["main"].quota: "-1Gi" is negative`},
		},
		"a quota of half a byte": {
			change: func(b *Bucket) { b.QuotaBytes = "1500m" },
			want:   []string{`["main"].quota: "1500m" is not a whole number`},
		},
		"a quota that is no quantity": {
			change: func(b *Bucket) { b.QuotaBytes = "2 TB" },
			want:   []string{`["main"].quota: "2 TB" is not a quantity`},
		},
		"a CORS rule for nobody": {
			change: func(b *Bucket) { b.CORS[0].Origins, b.CORS[0].Methods = nil, nil },
			want:   []string{`["main"].cors[0].origins: the rule is for no origin`, `["main"].cors[0].methods: the rule allows no method`},
		},
		"a method that CORS does not know": {
			change: func(b *Bucket) { b.CORS[0].Methods = []string{"GET", "OPTIONS"} },
			want:   []string{`["main"].cors[0].methods[1]: "OPTIONS" is not`},
		},
		"wildcards where there can be none": {
			change: func(b *Bucket) { b.CORS[0].Origins, b.CORS[0].ExposeHeaders = []string{"*://*"}, []string{"x-*"} },
			want:   []string{`["main"].cors[0].origins[0]: "*://*" has 2`, `["main"].cors[0].expose_headers[0]: "x-*" has 1`},
		},
		"a negative age": {
			change: func(b *Bucket) { b.CORS[0].MaxAgeSeconds = -1 },
			want:   []string{`["main"].cors[0].max_age_seconds: -1 is not`},
		},
		"a policy that is not JSON": {
			change: func(b *Bucket) { b.Policy = `{"Statement": [` },
			want:   []string{`["main"].policy: the policy is not a JSON object`},
		},
		"a policy that is no object": {
			change: func(b *Bucket) { b.Policy = `["s3:GetObject"]` },
			want:   []string{`["main"].policy: the policy is not a JSON object`},
		},
		"a policy of nothing": {
			change: func(b *Bucket) { b.Policy = `{"Statement": []}` },
			want:   []string{`["main"].policy: the policy has no statement`},
		},
		"a policy too long for S3": {
			change: func(b *Bucket) {
				b.Policy = strings.Replace(b.Policy, "datasets", strings.Repeat("d", maxPolicyBytes), 1)
			},
			want: []string{`["main"].policy: the policy has`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bucket := datasets()
			test.change(&bucket)
			checkViolations(t, ValidateBuckets(map[string]Bucket{"main": bucket}), test.want)
		})
	}
}

func TestBucketNames(t *testing.T) {
	for _, name := range []string{"abc", "0.a", "team-vision.checkpoints", strings.Repeat("a", 63)} {
		checkViolations(t, ValidateBuckets(map[string]Bucket{"b": {Name: name}}), nil)
	}
	for _, name := range []string{
		"", "ab", strings.Repeat("a", 64), "Data", "da_ta", "-ab", "ab-", ".ab", "a..b", "a.-b", "a-.b", "a b", "192.168.5.4",
		"xn--data", "sthree-data", "amzn-s3-demo-data", "data-s3alias", "data--ol-s3", "data.mrap", "data--x-s3", "data--table-s3", "däta", "data\n",
	} {
		if got := ValidateBuckets(map[string]Bucket{"b": {Name: name}}); len(got) != 1 || got[0].Path.String() != `["b"].name` {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestTwoBucketsOfOneNameAreRefused(t *testing.T) {
	got := ValidateBuckets(map[string]Bucket{"a": {Name: "data"}, "b": {Name: "data"}, "c": {Name: "other"}})
	checkViolations(t, got, []string{`["b"].name: the bucket "a" has this name too`})
}

func TestManyRulesAreRefused(t *testing.T) {
	var bucket Bucket
	bucket.Name = "data"
	for i := range maxLifecycleRules + 1 {
		bucket.Lifecycle = append(bucket.Lifecycle, LifecycleRule{ID: fmt.Sprint(i), ExpireAfterDays: 1})
	}
	bucket.CORS = slices.Repeat([]CORSRule{{Origins: []string{"*"}, Methods: []string{"GET"}}}, maxCORSRules+1)
	checkViolations(t, ValidateBuckets(map[string]Bucket{"b": bucket}), []string{`["b"].lifecycle: there are 1001 rules`, `["b"].cors: there are 101 rules`})
}

// checkViolations compares paths and the beginnings of problems.
func checkViolations(t *testing.T, got Violations, want []string) {
	t.Helper()
	var texts []string
	for i, violation := range got {
		text := violation.Path.String() + ": " + violation.Problem
		if i < len(want) && strings.HasPrefix(text, want[i]) {
			text = want[i]
		}
		texts = append(texts, text)
		if violation.Remedy == "" {
			t.Errorf("%s: nothing is said of what to do", text)
		}
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
