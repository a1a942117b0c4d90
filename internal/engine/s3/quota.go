// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/signer"
)

// quotaKeeper reads and sets what a bucket may hold, in bytes; 0 is no limit. S3 has no such
// thing, so every server that has it has its own way.
type quotaKeeper interface {
	get(ctx context.Context, bucket string) (int64, error)
	set(ctx context.Context, bucket string, most int64) error
}

// quotas is the keeper that goes with the server, by what the connection or the server itself
// says that it is.
func (s *Server) quotas() quotaKeeper {
	backend := s.connection.Backend
	if server := s.wire.server.Load(); backend == "" && server != nil {
		backend = *server
	}
	if strings.HasPrefix(strings.ToLower(backend), "minio") {
		return minioQuotas{s}
	}
	return noQuotas{}
}

// noQuotas is the keeper of servers that have none.
type noQuotas struct{}

func (noQuotas) get(context.Context, string) (int64, error) { return 0, errUnsupported }

func (noQuotas) set(context.Context, string, int64) error { return errUnsupported }

// minioQuotas speaks MinIO's admin API, version 3.
type minioQuotas struct{ server *Server }

// minioQuota is a quota as that API has it: older servers read quota, newer ones size.
type minioQuota struct {
	Quota int64  `json:"quota"`
	Size  int64  `json:"size"`
	Type  string `json:"quotatype,omitempty"`
}

func (m minioQuotas) get(ctx context.Context, bucket string) (int64, error) {
	body, err := m.request(ctx, http.MethodGet, "get-bucket-quota", bucket, nil)
	if err != nil {
		return 0, err
	}
	var quota minioQuota
	if err := json.Unmarshal(body, &quota); err != nil {
		return 0, fmt.Errorf("the answer is not a quota of MinIO: %w", err)
	}
	return max(quota.Quota, quota.Size), nil
}

func (m minioQuotas) set(ctx context.Context, bucket string, most int64) error {
	quota := minioQuota{Quota: most, Size: most}
	if most > 0 {
		quota.Type = "hard" // writes beyond it are refused
	}
	body, err := json.Marshal(quota)
	if err != nil {
		return err
	}
	_, err = m.request(ctx, http.MethodPut, "set-bucket-quota", bucket, body)
	return err
}

// maxAdmin bounds an answer of the admin API in bytes.
const maxAdmin = 64 << 10

func (m minioQuotas) request(ctx context.Context, method, call, bucket string, body []byte) ([]byte, error) {
	address := m.server.endpoint.JoinPath("minio", "admin", "v3", call)
	address.RawQuery = url.Values{"bucket": {bucket}}.Encode()
	request, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	request.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	c := m.server.connection
	response, err := m.server.wire.RoundTrip(signer.SignV4(*request, c.AccessKey, c.SecretKey, c.SessionToken, c.region()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return io.ReadAll(io.LimitReader(response.Body, maxAdmin))
}
