// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// lifecycleStandIn stands in for the lifecycle rules that versitygw does not have. It keeps in
// memory what it is given and expires nothing. It shows rules as other servers do: in another
// order, prefixes in the older form or within And, and what a rule does not do written out.
type lifecycleStandIn struct {
	mu    sync.Mutex
	rules map[string]string // by the path of the bucket
}

func (l *lifecycleStandIn) answer(w http.ResponseWriter, r *http.Request) bool {
	if !r.URL.Query().Has("lifecycle") {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rules == nil {
		l.rules = map[string]string{}
	}
	switch r.Method {
	case http.MethodPut:
		body, err := io.ReadAll(r.Body)
		shown, err2 := showLifecycle(body)
		if err != nil || err2 != nil {
			return refuse(w, http.StatusBadRequest, "MalformedXML", fmt.Sprint(err, err2))
		}
		l.rules[r.URL.Path] = shown
	case http.MethodDelete:
		delete(l.rules, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	default:
		text, ok := l.rules[r.URL.Path]
		if !ok {
			return refuse(w, http.StatusNotFound, "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist")
		}
		_, _ = io.WriteString(w, text)
	}
	return true
}

// showLifecycle reads and writes rules with types of its own, so that no mistake in ours is
// undone by the same mistake here.
func showLifecycle(text []byte) (string, error) {
	type rule struct {
		ID         string `xml:"ID"`
		Status     string `xml:"Status"`
		Filter     string `xml:"Filter>Prefix"`
		Expire     string `xml:"Expiration>Days"`
		Archive    string `xml:"Transition>Days"`
		Class      string `xml:"Transition>StorageClass"`
		Noncurrent string `xml:"NoncurrentVersionExpiration>NoncurrentDays"`
		Abort      string `xml:"AbortIncompleteMultipartUpload>DaysAfterInitiation"`
	}
	var parsed struct {
		Rules []rule `xml:"Rule"`
	}
	if err := xml.Unmarshal(text, &parsed); err != nil {
		return "", err
	}
	slices.Reverse(parsed.Rules)
	shown := "<LifecycleConfiguration>"
	for i, rule := range parsed.Rules {
		shown += "<Rule><ID>" + rule.ID + "</ID><Status>" + rule.Status + "</Status>"
		if i%2 == 0 {
			shown += "<Prefix>" + rule.Filter + "</Prefix>"
		} else {
			shown += "<Filter><And><Prefix>" + rule.Filter + "</Prefix></And></Filter>"
		}
		if rule.Expire != "" {
			shown += "<Expiration><Days>" + rule.Expire + "</Days><ExpiredObjectDeleteMarker>false</ExpiredObjectDeleteMarker></Expiration>"
		}
		if rule.Archive != "" {
			shown += "<Transition><StorageClass>" + rule.Class + "</StorageClass><Days>" + rule.Archive + "</Days></Transition>"
		}
		if rule.Noncurrent != "" {
			shown += "<NoncurrentVersionExpiration><NoncurrentDays>" + rule.Noncurrent + "</NoncurrentDays></NoncurrentVersionExpiration>"
		}
		if rule.Abort != "" {
			shown += "<AbortIncompleteMultipartUpload><DaysAfterInitiation>" + rule.Abort + "</DaysAfterInitiation></AbortIncompleteMultipartUpload>"
		}
		shown += "</Rule>"
	}
	return shown + "</LifecycleConfiguration>", nil
}

// quotaStandIn stands in for the quotas of MinIO's admin API, in the form that MinIO documents.
// It keeps them in memory and limits nothing; nobody has run these tests against a real MinIO.
type quotaStandIn struct {
	t      *testing.T
	mu     sync.Mutex
	quotas map[string]string
	bodies []string
}

var signed = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=` + accessKey + `/\d{8}/us-east-1/s3/aws4_request, ` +
	`SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$`)

func (q *quotaStandIn) answer(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Server", "MinIO")
	call, admin := strings.CutPrefix(r.URL.Path, "/minio/admin/v3/")
	if !admin {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		q.t.Errorf("read the body: %v", err)
	}
	sum := sha256.Sum256(body)
	if !signed.MatchString(r.Header.Get("Authorization")) || r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		q.t.Errorf("%s is not signed as MinIO wants it: %v", call, r.Header)
	}
	bucket := r.URL.Query().Get("bucket")
	switch r.Method + " " + call {
	case "GET get-bucket-quota":
		text, ok := q.quotas[bucket]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			text = `{"Code":"XMinioAdminNoSuchQuotaConfiguration","Message":"The quota configuration does not exist"}`
		}
		_, _ = io.WriteString(w, text)
	case "PUT set-bucket-quota":
		if !json.Valid(body) {
			q.t.Errorf("the body is not JSON: %s", body)
		}
		q.quotas[bucket] = string(body)
		q.bodies = append(q.bodies, string(body))
	default:
		q.t.Errorf("%s %s is no call of the admin API that has to do with quotas", r.Method, call)
	}
	return true
}

// startStandIn starts a server that is nothing but what answers.
func startStandIn(t *testing.T, answer func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			refuse(w, http.StatusNotImplemented, "NotImplemented", "not here")
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
