// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// Server is an S3 server. It is safe for concurrent use.
type Server struct {
	connection Connection
	endpoint   *url.URL
	client     *minio.Core
	wire       *wire
	secrets    redact.Masker
	patience   time.Duration
	// settle is how long a server may take to show what it was told.
	settle time.Duration
}

// The client waits after every request that failed, the last one too; all waiting is ours.
func init() { minio.DefaultRetryUnit = 0 }

// Open prepares requests to a server; it makes none.
func Open(connection Connection) (*Server, error) {
	endpoint, err := connection.check()
	if err != nil {
		return nil, fmt.Errorf("open a connection to S3: %w", err)
	}
	authorities, err := connection.authorities()
	if err != nil {
		return nil, fmt.Errorf("open a connection to S3: %w", err)
	}
	s := &Server{
		connection: connection, endpoint: endpoint, settle: 10 * time.Second,
		wire:     newWire(endpoint.Host, authorities, or(connection.RequestTimeout, defaultRequestTimeout)),
		secrets:  redact.Of(connection.SecretKey, connection.SessionToken),
		patience: or(connection.Patience, defaultPatience),
	}
	options := &minio.Options{
		Creds:     credentials.NewStaticV4(connection.AccessKey, connection.SecretKey, connection.SessionToken),
		Secure:    endpoint.Scheme == "https",
		Region:    connection.region(),   // without one the client asks for it, and reads any refusal as us-east-1
		Transport: s.wire, MaxRetries: 1, // repetitions are ours
	}
	if style := connection.PathStyle; style != nil {
		options.BucketLookup = minio.BucketLookupDNS
		if *style {
			options.BucketLookup = minio.BucketLookupPath
		}
	}
	if s.client, err = minio.NewCore(endpoint.Host, options); err != nil {
		return nil, fmt.Errorf("open a connection to %s: %w", endpoint.Host, err)
	}
	return s, nil
}

func or(given, otherwise time.Duration) time.Duration {
	if given > 0 {
		return given
	}
	return otherwise
}

// do makes one request and repeats it while its failure may pass. The name says what is done,
// the right is the one of S3 that it needs.
func (s *Server) do(ctx context.Context, name, right string, attempt func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	err := retry.Do(ctx, name, judge, func(ctx context.Context) error {
		err := attempt(ctx)
		var request *url.Error // says the whole query, which tells a person nothing
		if errors.As(err, &request) {
			return request.Err
		}
		return err
	})
	return s.secrets.Error(s.explain(err, right))
}
