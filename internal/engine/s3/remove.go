// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"fmt"
	"strings"

	"github.com/minio/minio-go/v7"
)

// Removal is a bucket that has to go.
type Removal struct {
	Name string
	// Owner is the value of the owner's tag; a bucket with another, or without, stays, where the
	// server has tags. "" does not look.
	Owner string
	// Lose allows the loss of all that the bucket holds.
	Lose bool
	// Argument is how the configuration allows it, for errors: allow_data_loss = true.
	Argument string
}

// NotEmptyError says that a bucket holds something and nobody allowed its loss.
type NotEmptyError struct {
	Bucket, Server, Argument string
	// What one page of each listing showed; there may be more where More says so.
	Objects, Versions, Markers, Uploads int
	More                                bool
}

func (e *NotEmptyError) Error() string {
	var holds []string
	for _, kind := range []struct {
		count int
		name  string
	}{
		{e.Objects, "object"}, {e.Versions, "older version"}, {e.Markers, "delete marker"}, {e.Uploads, "incomplete upload"},
	} {
		if kind.count > 0 {
			holds = append(holds, counted(kind.count, kind.name))
		}
	}
	what := "something"
	if len(holds) > 0 {
		what = strings.Join(holds, ", ")
		if e.More {
			what = "at least " + what
		}
	}
	return fmt.Sprintf("the bucket %q at %s is not empty: it holds %s. Empty it, or set %s to lose all of it for good", e.Bucket, e.Server, what, e.Argument)
}

// Remove deletes a bucket, and returns once the server no longer shows it. One that is gone
// already is no error. Errors are a *TakenError, *NotEmptyError or *LockedError where the
// bucket stays for its owner, what it holds, or its object lock.
func (s *Server) Remove(ctx context.Context, r Removal) error {
	have, err := s.Observe(ctx, r.Name, []Feature{ObjectLock})
	if err != nil || !have.Exists {
		return err
	}
	if r.Owner != "" && have.Owner != r.Owner && have.Supports(Owner) {
		return &TakenError{Bucket: r.Name, Server: have.Server, Owner: have.Owner}
	}
	if r.Lose {
		err = s.empty(ctx, r.Name, have)
	} else {
		err = s.checkEmpty(ctx, r, have)
	}
	if err != nil {
		return err
	}
	err = s.do(ctx, "delete the bucket", "s3:DeleteBucket", func(ctx context.Context) error {
		if err := s.client.RemoveBucket(ctx, r.Name); !isAbsent(err) {
			return err
		}
		return nil
	})
	if code(err) == "BucketNotEmpty" {
		return &NotEmptyError{Bucket: r.Name, Server: have.Server, Argument: r.Argument}
	}
	if err != nil {
		return fmt.Errorf("bucket %q at %s: %w", r.Name, s.endpoint.Host, err)
	}
	if have, err = s.Observe(ctx, r.Name, nil); err == nil && have.Exists {
		err = fmt.Errorf("the bucket %q still stands at %s after it was deleted. Somebody may have made it anew: look before you run again", r.Name, have.Server)
	}
	return err
}

func (s *Server) checkEmpty(ctx context.Context, r Removal, have Have) error {
	found := &NotEmptyError{Bucket: r.Name, Server: have.Server, Argument: r.Argument}
	page, err := s.page(ctx, r.Name, nil)
	if err != nil {
		return err
	}
	for _, object := range page {
		switch {
		case object.IsDeleteMarker:
			found.Markers++
		case object.IsLatest:
			found.Objects++
		default:
			found.Versions++
		}
	}
	uploads, err := s.uploads(ctx, r.Name)
	if err != nil {
		return err
	}
	found.Uploads = len(uploads)
	found.More = len(page) == pageSize || len(uploads) == pageSize
	if len(page)+len(uploads) > 0 {
		return found
	}
	return nil
}

// pageSize is the most that S3 lists, and deletes, in one request.
const pageSize = 1000

// page lists the first versions and delete markers that are not among the known ones.
func (s *Server) page(ctx context.Context, name string, known map[version]bool) (page []minio.ObjectInfo, err error) {
	options := minio.ListObjectsOptions{WithVersions: true, Recursive: true, MaxKeys: pageSize}
	err = s.do(ctx, "list objects and versions", "s3:ListBucketVersions", func(ctx context.Context) error {
		page = nil
		for object := range s.client.ListObjectsIter(ctx, name, options) {
			if object.Err != nil {
				return object.Err
			}
			if known[version{object.Key, object.VersionID}] || known[version{object.Key, ""}] {
				continue // servers may leave out the version of an object that has but one
			}
			if page = append(page, object); len(page) == pageSize {
				break
			}
		}
		return ctx.Err()
	})
	if isUnsupported(err) {
		return nil, fmt.Errorf("the server lists no versions, and may hold some that nobody sees. Empty the bucket with its own tools: %w", err)
	}
	return page, err
}

// uploads lists one page of uploads that nobody completed. A server without them has none.
func (s *Server) uploads(ctx context.Context, name string) (uploads []minio.ObjectMultipartInfo, err error) {
	err = s.do(ctx, "list incomplete uploads", "s3:ListBucketMultipartUploads", func(ctx context.Context) error {
		result, err := s.client.ListMultipartUploads(ctx, name, "", "", "", "", pageSize)
		uploads = result.Uploads
		return err
	})
	if isUnsupported(err) {
		return nil, nil
	}
	return uploads, err
}
