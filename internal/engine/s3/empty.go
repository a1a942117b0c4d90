// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/minio/minio-go/v7"
)

// LockedError names what object lock keeps in a bucket that should be emptied.
type LockedError struct {
	Bucket, Server string
	// Kept are at most a few of those kept, each with what keeps it and until when.
	Kept  []string
	Count int
}

func (e *LockedError) Error() string {
	more := ""
	if e.Count > len(e.Kept) {
		more = fmt.Sprintf(", and %d more", e.Count-len(e.Kept))
	}
	return fmt.Sprintf("the bucket %q at %s cannot be emptied: the server keeps %s%s. What is locked can go only once its time is over; until then a removed block takes the bucket out of the configuration and leaves it",
		e.Bucket, e.Server, strings.Join(e.Kept, "; "), more)
}

// version is one version or delete marker of an object.
type version struct{ key, id string }

// named is how many of those kept an error names.
const named = 5

// reportEvery is how often a long removal says how far it is.
const reportEvery = 10 * time.Second

// empty deletes every version, delete marker and incomplete upload, in batches of a page.
// It goes on past what cannot be deleted, up to a page of it.
func (s *Server) empty(ctx context.Context, name string, have Have) error {
	kept, reasons := map[version]bool{}, []string{}
	deleted, said := 0, time.Now()
	var first version // of the page before
	for {
		page, err := s.page(ctx, name, kept)
		if err != nil {
			return fmt.Errorf("empty the bucket %q at %s: %w", name, s.endpoint.Host, err)
		}
		if len(page) == 0 {
			break
		}
		next := version{page[0].Key, page[0].VersionID}
		if next == first {
			return fmt.Errorf("empty the bucket %q at %s: the server says that %q is deleted and still lists it. Look at the server's own state", name, s.endpoint.Host, next.key)
		}
		first = next
		failed, err := s.delete(ctx, name, page, have.ObjectLock != nil)
		if err != nil {
			return fmt.Errorf("empty the bucket %q at %s: %w", name, s.endpoint.Host, err)
		}
		for _, failure := range failed {
			kept[version{failure.ObjectName, failure.ObjectVersionID}] = true
			if len(reasons) < named {
				reasons = append(reasons, s.keeps(ctx, name, failure))
			}
		}
		deleted += len(page) - len(failed)
		if time.Since(said) >= reportEvery {
			said = time.Now()
			tflog.Info(ctx, "Emptying a bucket", map[string]any{"bucket": name, "deleted": deleted, "kept": len(kept)})
		}
		if len(kept) >= pageSize {
			break
		}
	}
	if len(kept) > 0 {
		return &LockedError{Bucket: name, Server: have.Server, Kept: reasons, Count: len(kept)}
	}
	return s.abort(ctx, name)
}

// delete removes one page in one request, and returns what the server would not delete. Of
// governance it asks to be excused: whoever allows the loss of a bucket means that too.
func (s *Server) delete(ctx context.Context, name string, page []minio.ObjectInfo, locked bool) (failed []minio.RemoveObjectResult, err error) {
	err = s.do(ctx, "delete objects", "s3:DeleteObjectVersion", func(ctx context.Context) error {
		failed = nil
		results, err := s.client.RemoveObjectsWithIter(ctx, name, slices.Values(page), minio.RemoveObjectsOptions{GovernanceBypass: locked})
		if err != nil {
			return err
		}
		for result := range results {
			if result.Err == nil {
				continue
			}
			if one := (minio.ErrorResponse{}); !errors.As(result.Err, &one) || result.ObjectName == "" {
				return result.Err // the request itself failed, not the deletion of one object
			}
			failed = append(failed, result)
		}
		return ctx.Err()
	})
	return failed, err
}

// keeps says what keeps a version that the server would not delete.
func (s *Server) keeps(ctx context.Context, name string, failure minio.RemoveObjectResult) string {
	what := fmt.Sprintf("%q (version %s)", failure.ObjectName, failure.ObjectVersionID)
	if mode, until, ok := s.retention(ctx, name, failure); ok {
		return fmt.Sprintf("%s under %s lock until %s", what, strings.ToLower(mode), until.UTC().Format(time.DateTime+" MST"))
	}
	hold, err := s.client.GetObjectLegalHold(ctx, name, failure.ObjectName, minio.GetObjectLegalHoldOptions{VersionID: failure.ObjectVersionID})
	if err == nil && hold != nil && *hold == minio.LegalHoldEnabled {
		return what + " under a legal hold, until it is lifted"
	}

	return what + ": " + strings.TrimSuffix(failure.Err.Error(), ".")
}

// retention reads how long a version is kept. The text is read here: versitygw calls the element
// otherwise than the client wants it.
func (s *Server) retention(ctx context.Context, name string, kept minio.RemoveObjectResult) (mode string, until time.Time, ok bool) {
	ctx, text := copied(ctx)
	_, _, _ = s.client.GetObjectRetention(ctx, name, kept.ObjectName, kept.ObjectVersionID)
	var retention struct {
		Mode            string
		RetainUntilDate time.Time
	}
	err := xml.Unmarshal(text.Bytes(), &retention)
	return retention.Mode, retention.RetainUntilDate, err == nil && retention.Mode != ""
}

// abort ends the uploads that nobody completed.
func (s *Server) abort(ctx context.Context, name string) error {
	first := "" // of the page before
	for {
		uploads, err := s.uploads(ctx, name)
		if err != nil || len(uploads) == 0 {
			return err
		}
		if uploads[0].UploadID == first {
			return fmt.Errorf("empty the bucket %q at %s: the server says that an upload of %q is aborted and still lists it. Look at the server's own state", name, s.endpoint.Host, uploads[0].Key)
		}
		first = uploads[0].UploadID
		for _, upload := range uploads {
			err := s.do(ctx, "abort an upload", "s3:AbortMultipartUpload", func(ctx context.Context) error {
				if err := s.client.AbortMultipartUpload(ctx, name, upload.Key, upload.UploadID); code(err) != "NoSuchUpload" {
					return err
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("empty the bucket %q at %s: %w", name, s.endpoint.Host, err)
			}
		}
	}
}
