// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/cors"
	"github.com/minio/minio-go/v7/pkg/tags"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// Apply carries out changes that Between found for a bucket as it was observed, and returns
// what the bucket is then. Success is what a read shows: where it still differs from what is
// wanted, that is an error with every difference. After any other error some of the changes may
// have been made, and the next Observe shows which.
func (s *Server) Apply(ctx context.Context, want Want, have Have, changes []Change) (Have, error) {
	if err := want.Refuse(have); err != nil {
		return have, err
	}
	done := map[Feature]bool{}
	for _, change := range changes {
		if done[change.Feature] {
			continue // one request sets all of a feature
		}
		done[change.Feature] = true
		err := s.put(ctx, want, change.Feature)
		if change.Feature == Owner && isUnsupported(err) {
			continue // only a bucket that is there shows whether its server has tags
		}
		if err != nil {
			return have, s.applyError(want, change.Feature, err)
		}
	}
	return s.confirm(ctx, want)
}

func (s *Server) applyError(want Want, feature Feature, err error) error {
	if isUnsupported(err) {
		return &UnsupportedError{Bucket: want.Name, Server: s.wire.named(), Feature: feature, Cause: err}
	}
	return fmt.Errorf("bucket %q at %s: %w", want.Name, s.endpoint.Host, err)
}

// confirm reads until the server shows what it was told: some take seconds to.
func (s *Server) confirm(ctx context.Context, want Want) (have Have, err error) {
	settling, cancel := context.WithTimeout(ctx, s.settle)
	defer cancel()
	differs := errors.New("it still differs")
	judge := func(err error) retry.Verdict { return retry.Verdict{Again: errors.Is(err, differs)} }
	err = retry.Do(settling, "read back", judge, func(context.Context) error {
		var err error
		if have, err = s.Observe(ctx, want.Name, want.Features()); err != nil {
			return err
		}
		if left := Between(want, have); len(left) > 0 {
			return fmt.Errorf("the bucket %q: %w after it was set, at %s:\n%s\nSomebody else may be changing it, or the server keeps less than it takes. Run again, and leave out what it does not keep",
				want.Name, differs, have.Server, strings.Join(Lines(left), "\n"))
		}
		return nil
	})
	return have, err
}

func (s *Server) put(ctx context.Context, want Want, feature Feature) error {
	name, right := "set "+string(feature), ""
	var attempt func(context.Context) error
	switch feature {
	case Existence:
		return s.create(ctx, want)
	case Owner:
		right, attempt = "s3:PutBucketTagging", func(ctx context.Context) error { return s.putOwner(ctx, want) }
	case Versioning:
		right, attempt = "s3:PutBucketVersioning", func(ctx context.Context) error {
			if want.Versioning == "enabled" {
				return s.client.EnableVersioning(ctx, want.Name)
			}
			return s.client.SuspendVersioning(ctx, want.Name)
		}
	case ObjectLock:
		right, attempt = "s3:PutBucketObjectLockConfiguration", func(ctx context.Context) error { return s.putLock(ctx, want) }
	case Lifecycle:
		right, attempt = "s3:PutLifecycleConfiguration", func(ctx context.Context) error {
			return s.client.SetBucketLifecycle(ctx, want.Name, writeLifecycle(want.Lifecycle))
		}
	case Quota:
		right, attempt = "admin:SetBucketQuota", func(ctx context.Context) error {
			most, err := want.quota()
			if err != nil {
				return err
			}
			return s.quotas().set(ctx, want.Name, most)
		}
	case CORS:
		right, attempt = "s3:PutBucketCORS", func(ctx context.Context) error { return s.putCORS(ctx, want) }
	case Policy:
		right, attempt = "s3:PutBucketPolicy", func(ctx context.Context) error { return s.client.SetBucketPolicy(ctx, want.Name, want.Policy) }
	}
	return s.do(ctx, name, right, attempt)
}

// create makes the bucket. A repetition may find the one that an earlier attempt made, whose
// answer was lost; any other attempt that finds it has come second.
func (s *Server) create(ctx context.Context, want Want) error {
	attempts := 0
	options := minio.MakeBucketOptions{Region: s.connection.region(), ObjectLocking: want.ObjectLock != nil}
	return s.do(ctx, "create the bucket", "s3:CreateBucket", func(ctx context.Context) error {
		attempts++
		err := s.client.MakeBucket(ctx, want.Name, options)
		if code(err) != "BucketAlreadyOwnedByYou" {
			return err
		}
		if attempts > 1 {
			return nil
		}
		return &TakenError{Bucket: want.Name, Server: s.wire.named()}
	})
}

// putOwner adds our tag to those that the bucket has.
func (s *Server) putOwner(ctx context.Context, want Want) error {
	all := map[string]string{}
	have, err := s.client.GetBucketTagging(ctx, want.Name)
	switch {
	case err == nil:
		all = have.ToMap()
	case code(err) != "NoSuchTagSet":
		return err
	}
	all[ownerTag] = want.Owner
	next, err := tags.NewTags(all, false)
	if err != nil {
		return fmt.Errorf("the owner %q cannot be the value of a tag: %w", want.Owner, err)
	}
	return s.client.SetBucketTagging(ctx, want.Name, next)
}

func (s *Server) putLock(ctx context.Context, want Want) error {
	lock := want.ObjectLock
	if lock == nil || lock.Mode == "" {
		return s.client.SetObjectLockConfig(ctx, want.Name, nil, nil, nil)
	}
	mode := minio.RetentionMode(strings.ToUpper(lock.Mode))
	return s.client.SetObjectLockConfig(ctx, want.Name, &mode, new(uint(lock.Days)), new(minio.Days))
}

func (s *Server) putCORS(ctx context.Context, want Want) error {
	if len(want.CORS) == 0 {
		return s.client.SetBucketCors(ctx, want.Name, nil)
	}
	var rules []cors.Rule
	for _, rule := range want.CORS {
		rules = append(rules, cors.Rule{
			AllowedOrigin: rule.Origins, AllowedMethod: rule.Methods, AllowedHeader: rule.Headers,
			ExposeHeader: rule.ExposeHeaders, MaxAgeSeconds: rule.MaxAgeSeconds,
		})
	}
	return s.client.SetBucketCors(ctx, want.Name, cors.NewConfig(rules))
}
