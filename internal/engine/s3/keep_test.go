// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

const readers = `{"Version":"2012-10-17","Statement":[{"Sid":"read","Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::datasets/*"}]}`

// everything is all that versitygw has.
func everything(w *Want) {
	w.Versioning = "enabled"
	w.ObjectLock = &spec.ObjectLock{Mode: "governance", Days: 1}
	w.CORS = []spec.CORSRule{
		{Origins: []string{"https://notebooks.example.com"}, Methods: []string{"PUT", "GET"}, Headers: []string{"X-Run", "Authorization"}, ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: 60},
		{Origins: []string{"*"}, Methods: []string{"HEAD"}},
	}
	w.Policy = readers
}

func TestABucketBecomesWhatIsWantedAndStaysSo(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	want := wanted(everything)
	got := mustKeep(t, s, want)
	lines := []string{
		`bucket datasets: create`,
		`bucket datasets: owner: none -> "tier/datasets"`,
		`bucket datasets: versioning: none -> enabled`,
		`bucket datasets: object lock: none -> governance for 1 day`,
		`bucket datasets: CORS rule 1: none -> GET, PUT from https://notebooks.example.com with authorization, x-run showing etag for 60 s`,
		`bucket datasets: CORS rule 2: none -> HEAD from *`,
		`bucket datasets: policy: none -> {"Version":"2012-10-17"}`,
		`bucket datasets: policy statement: none -> {"Action":["s3:GetObject"],"Effect":"Allow","Principal":{"AWS":["*"]},"Resource":["arn:aws:s3:::datasets/*"],"Sid":"read"}`,
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := mustKeep(t, s, want); len(again) > 0 {
		t.Errorf("the second time: %v", again)
	}
}

func TestWhatIsEditedByHandIsPutBack(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	want := wanted(everything)
	mustKeep(t, s, want)
	ctx := t.Context()
	for _, err := range []error{
		s.client.SetBucketCors(ctx, want.Name, nil),
		s.client.SetBucketPolicy(ctx, want.Name, `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":["s3:GetObject"],"Resource":"arn:aws:s3:::datasets/*"}]}`),
		s.client.SetObjectLockConfig(ctx, want.Name, nil, nil, nil),
		s.client.RemoveBucketTagging(ctx, want.Name),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want.Kept = true
	lines := []string{
		`bucket datasets: owner: none -> "tier/datasets"`,
		`bucket datasets: object lock: without a default -> governance for 1 day`,
		`bucket datasets: CORS rule 1: none -> GET, PUT from https://notebooks.example.com with authorization, x-run showing etag for 60 s`,
		`bucket datasets: CORS rule 2: none -> HEAD from *`,
		`bucket datasets: policy statement: {"Action":["s3:GetObject"],"Effect":"Deny","Principal":{"AWS":["*"]},"Resource":["arn:aws:s3:::datasets/*"]} -> none`,
		`bucket datasets: policy statement: none -> {"Action":["s3:GetObject"],"Effect":"Allow","Principal":{"AWS":["*"]},"Resource":["arn:aws:s3:::datasets/*"],"Sid":"read"}`,
	}
	if diff := cmp.Diff(lines, mustKeep(t, s, want)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsWantedNoLongerIsTakenAway(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	first := wanted(everything, func(w *Want) { w.ObjectLock = nil })
	mustKeep(t, s, first)
	second := wanted(func(w *Want) { w.Before = first.Given() })
	lines := []string{
		`bucket datasets: versioning: enabled -> suspended`,
		`bucket datasets: CORS rule 1: GET, PUT from https://notebooks.example.com with authorization, x-run showing etag for 60 s -> none`,
		`bucket datasets: CORS rule 2: HEAD from * -> none`,
		`bucket datasets: policy: {"Version":"2012-10-17"} -> none`,
		`bucket datasets: policy statement: {"Action":["s3:GetObject"],"Effect":"Allow","Principal":{"AWS":["*"]},"Resource":["arn:aws:s3:::datasets/*"],"Sid":"read"} -> none`,
	}
	if diff := cmp.Diff(lines, mustKeep(t, s, second)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := mustKeep(t, s, second); len(again) > 0 {
		t.Errorf("the second time: %v", again)
	}
}

func TestALockThatIsWantedNoLongerLosesItsDefault(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	first := wanted(everything)
	mustKeep(t, s, first)
	second := wanted(func(w *Want) { w.Before = Given{Features: []Feature{Versioning, ObjectLock}} })
	lines := []string{`bucket datasets: object lock: governance for 1 day -> without a default`}
	if diff := cmp.Diff(lines, mustKeep(t, s, second)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatOthersHaveSetIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(everything))
	if lines := mustKeep(t, s, wanted()); len(lines) > 0 {
		t.Errorf("a bucket of which only the name is wanted: %v", lines)
	}
}

func TestABucketOfSomebodyElseIsTaken(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(func(w *Want) { w.Owner = "another/tier" }))
	if err := s.client.MakeBucket(t.Context(), "plain", minioMake); err != nil {
		t.Fatal(err)
	}
	plain := func(w *Want) { w.Name = "plain" }
	for name, test := range map[string]struct {
		want Want
		says string
	}{
		"with another's tag":           {wanted(), `belongs to "another/tier"`},
		"with another's tag, once our": {wanted(func(w *Want) { w.Kept = true }), `belongs to "another/tier"`},
		"without a tag":                {wanted(plain), "nothing says that it is Trainyard's"},
	} {
		_, err := keep(t, s, test.want)
		var taken *TakenError
		if !errors.As(err, &taken) {
			t.Errorf("%s: err = %v", name, err)
			continue
		}
		checkError(t, err, test.says, "adopt it")
	}
	for _, want := range []Want{wanted(func(w *Want) { w.Adopt = true }), wanted(plain, func(w *Want) { w.Adopt = true })} {
		mustKeep(t, s, want)
		want.Adopt = false
		if lines := mustKeep(t, s, want); len(lines) > 0 {
			t.Errorf("%s, once adopted: %v", want.Name, lines)
		}
	}
}

func TestOtherTagsStay(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted())
	theirs, err := minioTags(map[string]string{"cost-center": "42"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.client.SetBucketTagging(t.Context(), "datasets", theirs); err != nil {
		t.Fatal(err)
	}
	mustKeep(t, s, wanted(func(w *Want) { w.Kept = true }))
	all, err := s.client.GetBucketTagging(t.Context(), "datasets")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"cost-center": "42", ownerTag: "tier/datasets"}, all.ToMap()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestObjectLockOfABucketThatExistsIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted())
	_, err := keep(t, s, wanted(everything))
	checkError(t, err, `"datasets" exists without object lock`, "only when a bucket is created", "another name")
}

func TestVersioningOfALockedBucketIsNotSuspended(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(everything))
	_, err := keep(t, s, wanted(func(w *Want) { w.Versioning, w.Before = "suspended", Given{Features: []Feature{ObjectLock}} }))
	checkError(t, err, "cannot be suspended", "object lock")
}

func TestAFeatureThatTheServerLacksIsRefusedOnlyWhereItIsWanted(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted())
	have, err := s.Observe(t.Context(), "datasets", Settable)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Feature{Lifecycle, Quota}, have.Unsupported); diff != "" {
		t.Errorf("unsupported (-want +got):\n%s", diff)
	}
	rules := []spec.LifecycleRule{{ID: "tidy", ExpireAfterDays: 1}}
	for _, test := range []struct {
		want Want
		says string
	}{
		{wanted(func(w *Want) { w.Lifecycle = rules }), `"datasets" cannot have lifecycle`},
		{wanted(func(w *Want) { w.Lifecycle = []spec.LifecycleRule{} }), `"datasets" cannot have lifecycle`},
		{wanted(func(w *Want) { w.QuotaBytes = "1Gi" }), `"datasets" cannot have a quota`},
		{wanted(func(w *Want) { w.Name, w.Lifecycle = "new", rules }), `"new" cannot have lifecycle`},
		{wanted(func(w *Want) { w.Name, w.QuotaBytes = "never", "1Gi" }), `"never" cannot have a quota`},
	} {
		_, err := keep(t, s, test.want)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("err = %v", err)
			continue
		}
		checkError(t, err, test.says, "VERSITYGW")
	}
	before := Given{Features: []Feature{Lifecycle, Quota}}
	if lines := mustKeep(t, s, wanted(func(w *Want) { w.Before = before })); len(lines) > 0 {
		t.Errorf("once set on another server, and wanted no longer: %v", lines)
	}
}
