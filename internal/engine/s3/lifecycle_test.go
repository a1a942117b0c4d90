// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/minio/minio-go/v7/pkg/lifecycle"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func aging(w *Want) {
	w.Lifecycle = []spec.LifecycleRule{
		{ID: "archive", Prefix: "raw/", ArchiveAfterDays: 30, ArchiveClass: "GLACIER", ExpireAfterDays: 365},
		{ID: "tidy", ExpireNoncurrentAfterDays: 7, AbortUploadsAfterDays: 2},
		{ID: "scratch", Prefix: "tmp/", ExpireAfterDays: 1},
	}
}

func TestLifecycleRulesEditedByHandArePutBack(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	front.answer((&lifecycleStandIn{}).answer)
	s := open(t, front.URL)
	want := wanted(aging)
	lines := []string{
		`bucket datasets: create`,
		`bucket datasets: owner: none -> "tier/datasets"`,
		`bucket datasets: lifecycle rule "archive": none -> prefix "raw/", archive after 30 days to GLACIER, expire after 365 days`,
		`bucket datasets: lifecycle rule "tidy": none -> expire noncurrent versions after 7 days, abort uploads after 2 days`,
		`bucket datasets: lifecycle rule "scratch": none -> prefix "tmp/", expire after 1 day`,
	}
	if diff := cmp.Diff(lines, mustKeep(t, s, want)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := mustKeep(t, s, want); len(again) > 0 {
		t.Errorf("the second time: %v", again)
	}

	byHand := writeLifecycle(want.Lifecycle[:2])
	byHand.Rules[0].Expiration.Days = 90
	byHand.Rules[1].Status = "Disabled"
	byHand.Rules = append(byHand.Rules, lifecycle.Rule{ID: "theirs", Status: "Enabled", RuleFilter: lifecycle.Filter{Prefix: "x/"}, Expiration: lifecycle.Expiration{Days: 3}})
	if err := s.client.SetBucketLifecycle(t.Context(), "datasets", byHand); err != nil {
		t.Fatal(err)
	}
	lines = []string{
		`bucket datasets: lifecycle rule "archive": expire after: 90 days -> 365 days`,
		`bucket datasets: lifecycle rule "tidy": also: disabled -> none`,
		`bucket datasets: lifecycle rule "scratch": none -> prefix "tmp/", expire after 1 day`,
		`bucket datasets: lifecycle rule "theirs": prefix "x/", expire after 3 days -> none`,
	}
	if diff := cmp.Diff(lines, mustKeep(t, s, want)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	for name, next := range map[string]Want{
		"a list that is empty":      wanted(func(w *Want) { w.Lifecycle = []spec.LifecycleRule{} }),
		"rules wanted no longer":    wanted(func(w *Want) { w.Before = want.Given() }),
		"the bucket without a word": wanted(),
	} {
		mustKeep(t, s, want)
		mustKeep(t, s, next)
		have, err := s.Observe(t.Context(), "datasets", []Feature{Lifecycle})
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		if name == "the bucket without a word" {
			left = 3
		}
		if len(have.Lifecycle) != left {
			t.Errorf("%s leaves %d rules, want %d", name, len(have.Lifecycle), left)
		}
	}
}

func TestRulesBeyondOurOwnNeverLookLikeThem(t *testing.T) {
	ours := Rule{LifecycleRule: spec.LifecycleRule{ID: "a", Prefix: "p/", ExpireAfterDays: 9, ArchiveAfterDays: 3, ArchiveClass: "COLD"}}
	const expire, archive = "<Expiration><Days>9</Days></Expiration>", "<Transition><Days>3</Days><StorageClass>COLD</StorageClass></Transition>"
	const filter = "<Filter><Prefix>p/</Prefix></Filter>"
	tests := map[string]struct {
		rule string
		also string
	}{
		"ours":                      {filter + "<Status>Enabled</Status>" + expire + archive, none},
		"in the older form":         {"<Prefix>p/</Prefix><Status>Enabled</Status>" + expire + archive, none},
		"with what it does not":     {filter + "<Status>Enabled</Status><Expiration><Days>9</Days><ExpiredObjectAllVersions>false</ExpiredObjectAllVersions></Expiration>" + archive, none},
		"disabled":                  {filter + "<Status>Disabled</Status>" + expire + archive, "disabled"},
		"for a tag":                 {"<Filter><And><Prefix>p/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter><Status>Enabled</Status>" + expire + archive, "Tag Key k /Key Value v /Value"},
		"for large objects":         {"<Filter><Prefix>p/</Prefix><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></Filter><Status>Enabled</Status>" + expire + archive, "ObjectSizeGreaterThan 5"},
		"archiving twice":           {filter + "<Status>Enabled</Status>" + expire + archive + "<Transition><Days>5</Days><StorageClass>ICE</StorageClass></Transition>", "archive after 5 days ICE"},
		"on a date too":             {filter + "<Status>Enabled</Status>" + expire + archive + "<Expiration><Date>2030-01-01T00:00:00Z</Date></Expiration>", "Date 2030-01-01T00:00:00Z, expire after 0 days"},
		"with delete markers":       {filter + "<Status>Enabled</Status><Expiration><Days>9</Days><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>" + archive, "ExpiredObjectDeleteMarker true"},
		"moving older versions":     {filter + "<Status>Enabled</Status>" + expire + archive + "<NoncurrentVersionTransition><NoncurrentDays>1</NoncurrentDays><StorageClass>X</StorageClass></NoncurrentVersionTransition>", "NoncurrentVersionTransition NoncurrentDays 1 /NoncurrentDays StorageClass X /StorageClass"},
		"with what nobody knows":    {filter + "<Status>Enabled</Status>" + expire + archive + "<Compress>9</Compress>", "Compress 9"},
		"keeping newer versions":    {filter + "<Status>Enabled</Status>" + expire + archive + "<NoncurrentVersionExpiration><NewerNoncurrentVersions>2</NewerNoncurrentVersions></NoncurrentVersionExpiration>", "NewerNoncurrentVersions 2"},
		"archiving another at once": {filter + "<Status>Enabled</Status>" + expire + archive + "<Transition><Days>0</Days><StorageClass>ICE</StorageClass></Transition>", "archive after 0 days ICE"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rules, err := parseLifecycle([]byte("<LifecycleConfiguration><Rule><ID>a</ID>" + test.rule + "</Rule></LifecycleConfiguration>"))
			if err != nil || len(rules) != 1 {
				t.Fatalf("%d rules, err = %v", len(rules), err)
			}
			want := ours.parts()
			want[len(want)-1].text = test.also
			if diff := cmp.Diff(want, rules[0].parts(), cmp.AllowUnexported(part{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := parseLifecycle([]byte("<html>")); err == nil {
		t.Error("a page is taken for rules")
	}
}

// FuzzLifecycle reads back what is written, and whatever text a server may send.
func FuzzLifecycle(f *testing.F) {
	f.Add("a", "raw/", 365, 30, "GLACIER", 7, 2, []byte("<LifecycleConfiguration/>"))
	f.Add("", "", 0, 0, "", 0, 0, []byte("<a><Rule><Filter><And><Tag/></And></Filter><Transition/></Rule></a>"))
	f.Add("é <&>", "\"'", 1, 1, "x", 1, 1, []byte("<a><Rule><Expiration><Days>x</Days></Expiration></Rule></a>"))
	f.Fuzz(func(t *testing.T, id, prefix string, expire, archive int, class string, noncurrent, abort int, text []byte) {
		if rules, err := parseLifecycle(text); err == nil {
			for _, rule := range rules {
				_ = rule.text()
			}
		}
		rule := spec.LifecycleRule{
			ID: id, Prefix: prefix, ExpireAfterDays: expire, ArchiveAfterDays: archive, ArchiveClass: class,
			ExpireNoncurrentAfterDays: noncurrent, AbortUploadsAfterDays: abort,
		}
		bucket := spec.Bucket{Name: "datasets", Lifecycle: []spec.LifecycleRule{rule}}
		if !isXML(id) || !isXML(prefix) || !isXML(class) || len(spec.ValidateBuckets(map[string]spec.Bucket{"a": bucket})) > 0 {
			return
		}
		written, err := xml.Marshal(writeLifecycle(bucket.Lifecycle))
		if err != nil {
			t.Fatal(err)
		}
		read, err := parseLifecycle(written)
		if diff := cmp.Diff([]Rule{{LifecycleRule: rule}}, read); diff != "" || err != nil {
			t.Errorf("%s: err = %v (-want +got):\n%s", written, err, diff)
		}
	})
}

// isXML says whether XML can hold the text as it is.
func isXML(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError })
}
