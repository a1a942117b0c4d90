// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/tags"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

var minioMake = minio.MakeBucketOptions{Region: DefaultRegion}

func minioTags(all map[string]string) (*tags.Tags, error) { return tags.NewTags(all, false) }

func removal() Removal {
	return Removal{Name: "datasets", Owner: "tier/datasets", Argument: "allow_data_loss = true"}
}

func versioned(w *Want) { w.Versioning = "enabled" }

// fill puts into a bucket all that can keep it: an object of two versions, one that is deleted,
// and an upload that nobody completes.
func fill(t *testing.T, s *Server, bucket string) {
	t.Helper()
	upload(t, s, bucket, "raw/a", "1")
	upload(t, s, bucket, "raw/a", "2")
	upload(t, s, bucket, "raw/b", "1")
	if err := s.client.RemoveObject(t.Context(), bucket, "raw/b", minio.RemoveObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.NewMultipartUpload(t.Context(), bucket, "raw/c", minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}

func checkGone(t *testing.T, s *Server) {
	t.Helper()
	have, err := s.Observe(t.Context(), "datasets", []Feature{Versioning})
	if err != nil || have.Exists {
		t.Errorf("it is still there: %+v, %v", have, err)
	}
}

func TestAnEmptyBucketIsRemoved(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(everything))
	for range 2 { // the second time it is gone already
		if err := s.Remove(t.Context(), removal()); err != nil {
			t.Fatal(err)
		}
		checkGone(t, s)
	}
}

func TestABucketThatHoldsSomethingRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(versioned))
	fill(t, s, "datasets")
	err := s.Remove(t.Context(), removal())
	var full *NotEmptyError
	if !errors.As(err, &full) {
		t.Fatalf("err = %v", err)
	}
	got := []int{full.Objects, full.Versions, full.Markers, full.Uploads}
	if diff := cmp.Diff([]int{1, 2, 1, 1}, got); diff != "" {
		t.Errorf("objects, versions, markers, uploads (-want +got):\n%s", diff)
	}
	checkError(t, err, "1 object, 2 older versions, 1 delete marker, 1 incomplete upload", "allow_data_loss = true")
	if page, err := s.page(t.Context(), "datasets", nil); err != nil || len(page) != 4 {
		t.Errorf("it holds %d versions and markers after the refusal, err = %v", len(page), err)
	}
}

func TestABucketOfOnlyAnUploadRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted())
	if _, err := s.client.NewMultipartUpload(t.Context(), "datasets", "big", minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	checkError(t, s.Remove(t.Context(), removal()), "it holds 1 incomplete upload")
}

func TestALossThatIsAllowedEmptiesAndRemoves(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(versioned))
	fill(t, s, "datasets")
	lose := removal()
	lose.Lose = true
	if err := s.Remove(t.Context(), lose); err != nil {
		t.Fatal(err)
	}
	checkGone(t, s)
}

func TestMoreThanAPageIsCountedAndRemoved(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted())
	for i := range pageSize + 5 {
		upload(t, s, "datasets", fmt.Sprintf("shard-%04d", i), "")
	}
	checkError(t, s.Remove(t.Context(), removal()), "it holds at least 1000 objects")
	lose := removal()
	lose.Lose = true
	if err := s.Remove(t.Context(), lose); err != nil {
		t.Fatal(err)
	}
	checkGone(t, s)
}

func TestABucketOfAnotherOwnerIsNotRemoved(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(func(w *Want) { w.Owner = "another/tier" }))
	lose := removal()
	lose.Lose = true
	err := s.Remove(t.Context(), lose)
	var taken *TakenError
	if !errors.As(err, &taken) || taken.Owner != "another/tier" {
		t.Errorf("err = %v", err)
	}
	if have, err := s.Observe(t.Context(), "datasets", []Feature{Versioning}); err != nil || !have.Exists {
		t.Errorf("it is gone: %+v, %v", have, err)
	}
}

func TestObjectsUnderComplianceLockAreNamed(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(everything))
	kept := upload(t, s, "datasets", "audit/kept", "1")
	upload(t, s, "datasets", "raw/governed", "1") // under the bucket's default, which may be lifted
	until := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	mode := minio.Compliance
	err := s.client.PutObjectRetention(t.Context(), "datasets", "audit/kept", minio.PutObjectRetentionOptions{
		VersionID: kept.VersionID, Mode: &mode, RetainUntilDate: &until, GovernanceBypass: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	lose := removal()
	lose.Lose = true
	err = s.Remove(t.Context(), lose)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Count != 1 {
		t.Fatalf("err = %v", err)
	}
	checkError(t, err, fmt.Sprintf("%q (version %s) under compliance lock until %s", "audit/kept", kept.VersionID, until.Format(time.DateTime)))
	page, err := s.page(t.Context(), "datasets", nil)
	if err != nil || len(page) != 1 || page[0].Key != "audit/kept" {
		t.Errorf("left: %v, %v", page, err)
	}
}

func TestObjectsUnderALegalHoldAreNamed(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	mustKeep(t, s, wanted(everything, func(w *Want) { w.ObjectLock = &spec.ObjectLock{} }))
	for i := range named + 1 {
		info := upload(t, s, "datasets", fmt.Sprintf("case-%d", i), "1")
		on := minio.LegalHoldEnabled
		err := s.client.PutObjectLegalHold(t.Context(), "datasets", info.Key, minio.PutObjectLegalHoldOptions{VersionID: info.VersionID, Status: &on})
		if err != nil {
			t.Fatal(err)
		}
	}
	lose := removal()
	lose.Lose = true
	checkError(t, s.Remove(t.Context(), lose), `"case-0" (version `, "under a legal hold, until it is lifted", "and 1 more")
}
