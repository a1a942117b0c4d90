// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// ownerTag is the tag of a bucket that says whose it is.
const ownerTag = spec.OwnPrefix + "owner"

// Observe reads what a bucket has: whether it is there and whose it is, and the features named,
// which are Want.Features to compare, or all that are Settable. Only the server's own word that
// there is no such bucket makes it absent; whatever keeps it from being read is an error.
func (s *Server) Observe(ctx context.Context, name string, features []Feature) (Have, error) {
	have := Have{Exists: true}
	err := s.readInto(ctx, name, append([]Feature{Existence, Owner}, features...), &have)
	have.Server = s.wire.named()
	if isAbsent(err) {
		return s.absent(features), nil
	}
	if err != nil {
		return Have{}, fmt.Errorf("bucket %q at %s: %w", name, s.endpoint.Host, err)
	}
	return have, nil
}

// absent is a bucket that is not there. Of features only a quota is known to be missing already:
// whether there is one depends on the server alone.
func (s *Server) absent(features []Feature) Have {
	have := Have{Server: s.wire.named()}
	if _, known := s.quotas().(noQuotas); known && slices.Contains(features, Quota) {
		have.Unsupported = []Feature{Quota}
	}
	return have
}

// reads are how each feature is read, with the right that it takes and the code by which a
// server says that the bucket has none of it.
func (s *Server) reads(name string, have *Have) map[Feature]read {
	return map[Feature]read{
		Existence:  {"s3:ListBucket", "", s.readExistence(name)},
		Owner:      {"s3:GetBucketTagging", "NoSuchTagSet", s.readOwner(name, have)},
		Versioning: {"s3:GetBucketVersioning", "", s.readVersioning(name, have)},
		ObjectLock: {"s3:GetBucketObjectLockConfiguration", "ObjectLockConfigurationNotFoundError", s.readLock(name, have)},
		Lifecycle:  {"s3:GetLifecycleConfiguration", "NoSuchLifecycleConfiguration", s.readLifecycle(name, have)},
		Quota:      {"admin:GetBucketQuota", "XMinioAdminNoSuchQuotaConfiguration", s.readQuota(name, have)},
		CORS:       {"s3:GetBucketCORS", "NoSuchCORSConfiguration", s.readCORS(name, have)},
		Policy:     {"s3:GetBucketPolicy", "NoSuchBucketPolicy", s.readPolicy(name, have)},
	}
}

type read struct {
	right, none string
	attempt     func(context.Context) error
}

func (s *Server) readInto(ctx context.Context, name string, features []Feature, have *Have) error {
	reads := s.reads(name, have)
	for _, feature := range features {
		read := reads[feature]
		err := s.do(ctx, "read "+string(feature), read.right, read.attempt)
		switch {
		case err == nil, read.none != "" && code(err) == read.none:
		case isUnsupported(err):
			have.Unsupported = append(have.Unsupported, feature)
		default:
			return err
		}
	}
	return nil
}

// readExistence lists at most one key. A HEAD would be cheaper, and its answer has no body: a
// 404 of S3 and one of a proxy look alike.
func (s *Server) readExistence(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		for object := range s.client.ListObjectsIter(ctx, name, minio.ListObjectsOptions{MaxKeys: 1}) {
			return object.Err
		}
		return ctx.Err()
	}
}

func (s *Server) readOwner(name string, have *Have) func(context.Context) error {
	return func(ctx context.Context) error {
		all, err := s.client.GetBucketTagging(ctx, name)
		if err == nil {
			have.Owner = all.ToMap()[ownerTag]
		}
		return err
	}
}

func (s *Server) readVersioning(name string, have *Have) func(context.Context) error {
	return func(ctx context.Context) error {
		versioning, err := s.client.GetBucketVersioning(ctx, name)
		have.Versioning = strings.ToLower(versioning.Status)
		return err
	}
}

func (s *Server) readLock(name string, have *Have) func(context.Context) error {
	return func(ctx context.Context) error {
		enabled, mode, validity, unit, err := s.client.GetObjectLockConfig(ctx, name)
		if err != nil || enabled != "Enabled" {
			return err
		}
		have.ObjectLock = &Lock{}
		if mode == nil || validity == nil || unit == nil {
			return nil
		}
		have.ObjectLock.Mode = strings.ToLower(string(*mode))
		if *unit == minio.Years {
			have.ObjectLock.Years = int(*validity)
		} else {
			have.ObjectLock.Days = int(*validity)
		}
		return nil
	}
}

func (s *Server) readLifecycle(name string, have *Have) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, text := copied(ctx)
		_, err := s.client.GetBucketLifecycle(ctx, name)
		if text.Len() == 0 {
			return err
		}
		// Whatever the client makes of the text: ours keeps more of it.
		have.Lifecycle, err = parseLifecycle(text.Bytes())
		return err
	}
}

func (s *Server) readQuota(name string, have *Have) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		have.QuotaBytes, err = s.quotas().get(ctx, name)
		return err
	}
}

func (s *Server) readCORS(name string, have *Have) func(context.Context) error {
	return func(ctx context.Context) error {
		config, err := s.client.GetBucketCors(ctx, name)
		if err != nil || config == nil {
			return err
		}
		have.CORS = nil
		for _, rule := range config.CORSRules {
			have.CORS = append(have.CORS, spec.CORSRule{
				Origins: rule.AllowedOrigin, Methods: rule.AllowedMethod, Headers: rule.AllowedHeader,
				ExposeHeaders: rule.ExposeHeader, MaxAgeSeconds: rule.MaxAgeSeconds,
			})
		}
		return nil
	}
}

func (s *Server) readPolicy(name string, have *Have) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		have.Policy, err = s.client.GetBucketPolicy(ctx, name)
		return err
	}
}
