// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

var queues = schema.GroupResource{Group: "scheduling.volcano.sh", Resource: "queues"}

// answered is the error that a request gets for an answer of the API server or of what
// stands before it.
func answered(t *testing.T, status int, contentType, body string, header ...string) error {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	cluster, err := Connect(Connection{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	result := cluster.on(cluster.rest.Get(), Queue, "", "research").Do(t.Context())
	_, err = result.Raw()
	if err == nil {
		t.Fatal("no error")
	}
	return fromBody(result, err)
}

func TestOnlyADefiniteAnswerIsNotFound(t *testing.T) {
	const absent = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"queues \"research\" not found","details":{"name":"research","kind":"queues"}}`
	for _, test := range []struct {
		name     string
		err      error
		notFound bool
		served   bool
	}{
		{"the API server says so of the object", answered(t, 404, "application/json", absent), true, true},
		{"the same, wrapped", fmt.Errorf("read queue: %w", apierrors.NewNotFound(queues, "research")), true, true},
		{"the kind is not served", answered(t, 404, "text/plain", "404 page not found"), false, false},
		{"a proxy's page", answered(t, 404, "text/html", "<html>Not Found</html>"), false, false},
		{"a Status without the object's name", answered(t, 404, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`), false, false},
		{"a Status for another code", answered(t, 404, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"details":{"name":"research"}}`), false, true},
		{"gone", apierrors.NewResourceExpired("x"), false, true},
		{"forbidden", apierrors.NewForbidden(queues, "research", errors.New("no")), false, true},
		{"an error that says not found", errors.New(`queues "research" not found`), false, true},
		{"no error", nil, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := IsNotFound(test.err); got != test.notFound {
				t.Errorf("IsNotFound = %t: %#v", got, test.err)
			}
			if got := !IsNotServed(test.err); got != test.served {
				t.Errorf("served = %t: %#v", got, test.err)
			}
		})
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func TestJudge(t *testing.T) {
	never, now := retry.Final, retry.Verdict{Again: true}
	after := func(seconds int) retry.Verdict {
		return retry.Verdict{Again: true, After: time.Duration(seconds) * time.Second}
	}
	for _, test := range []struct {
		name string
		err  error
		want retry.Verdict
	}{
		{"too many requests, with a time", answered(t, 429, "text/plain", "slow down", "Retry-After", "3"), after(3)},
		{"too many requests, as a Status", apierrors.NewTooManyRequests("slow down", 2), after(2)},
		{"a server timeout", apierrors.NewServerTimeout(queues, "list", 1), after(1)},
		{"a timeout", apierrors.NewTimeoutError("slow", 1), after(1)},
		{"unavailable", answered(t, 503, "text/plain", "starting"), now},
		{"a bad gateway", answered(t, 502, "text/html", "<html>"), now},
		{"a gateway timeout", answered(t, 504, "text/html", "<html>"), now},
		{"an internal error", apierrors.NewInternalError(errors.New("failed calling webhook")), now},
		{"a bare 500", answered(t, 500, "text/plain", "boom"), now},

		{"unauthorized", answered(t, 401, "text/plain", "Unauthorized"), never},
		{"forbidden", apierrors.NewForbidden(queues, "q", errors.New("no")), never},
		{"not found", apierrors.NewNotFound(queues, "q"), never},
		{"invalid", apierrors.NewInvalid(schema.GroupKind{Kind: "Queue"}, "q", nil), never},
		{"denied by a webhook", apierrors.NewBadRequest(`admission webhook "x" denied the request`), never},
		{"a conflict", apierrors.NewConflict(queues, "q", errors.New("changed")), never},
		{"the page has expired", apierrors.NewResourceExpired("too old"), never},

		{"a connection that is reset", &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, now},
		{"nobody listens", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, now},
		{"an answer cut short", fmt.Errorf("read: %w", io.ErrUnexpectedEOF), now},
		{"a connection closed before the answer", io.EOF, now},
		{"an HTTP/2 stream that is reset", http2.StreamError{Code: http2.ErrCodeInternal}, now},
		{"one attempt that took too long", fmt.Errorf("get: %w", context.DeadlineExceeded), now},
		{"a network timeout", timeoutError{}, now},

		{"interrupted", context.Canceled, never},
		{"a certificate that is not trusted", errors.New("x509: certificate signed by unknown authority"), never},
		{"a name that does not exist", &net.DNSError{Err: "no such host", IsNotFound: true}, never},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, judge(test.err)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s\n%#v", diff, test.err)
			}
		})
	}
}

func TestIsUnreachable(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"nobody listens until the time limit", &retry.Exhausted{Name: "x", Last: syscall.ECONNREFUSED}, true},
		{"no kubeconfig yet", fmt.Errorf("read the kubeconfig: %w", os.ErrNotExist), true},
		{"a server that stays busy", &retry.Exhausted{Name: "x", Last: apierrors.NewTooManyRequests("x", 1)}, false},
		{"a server that refuses", apierrors.NewForbidden(queues, "q", errors.New("no")), false},
		{"no cluster is configured", ErrNoConnection, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := IsUnreachable(test.err); got != test.want {
				t.Errorf("IsUnreachable = %t", got)
			}
		})
	}
}

func TestExplainSaysWhatToDo(t *testing.T) {
	for _, test := range []struct {
		name   string
		err    error
		advice string
	}{
		{"credentials that are not accepted", apierrors.NewUnauthorized("Unauthorized"), "renew them"},
		{"a verb that is not granted", apierrors.NewForbidden(queues, "q", errors.New("no")), "ClusterRole"},
		{"a webhook that denies", apierrors.NewForbidden(queues, "q", errors.New(`admission webhook "v" denied`)), "admission webhook of the cluster"},
		{"a kind that is not served", &apierrors.StatusError{ErrStatus: metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound}}, "install Volcano"},
		{"what we know nothing about", errors.New("boom"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Explain(test.err)
			if !errors.Is(got, test.err) || !strings.Contains(got.Error(), test.advice) {
				t.Errorf("got %v", got)
			}
			if test.advice == "" && got.Error() != test.err.Error() {
				t.Errorf("got %v", got)
			}
		})
	}
	if Explain(nil) != nil {
		t.Error("no error needs no advice")
	}
}

func TestAConflictOnTheQuotaIsTriedAgainAndAnyOtherIsNot(t *testing.T) {
	quota := apierrors.NewConflict(schema.GroupResource{Resource: "resourcequotas"}, "trainyard-quota", errors.New("modified"))
	field := apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "x", errors.New("modified"))
	for name, test := range map[string]struct {
		kind Kind
		err  error
		want bool
	}{
		"counting a secret in the quota": {Secret, quota, true},
		"the quota itself":               {ResourceQuota, quota, false},
		"another object":                 {Secret, field, false},
	} {
		if got := judgeApply(test.kind)(test.err).Again; got != test.want {
			t.Errorf("%s: again = %v", name, got)
		}
	}
}
