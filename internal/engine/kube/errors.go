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
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// judge says which failures of a request may pass: those that the server says so of
// (429, 503, timeouts), its internal errors (an admission webhook that is starting), and
// broken connections. Every request of ours may be repeated: reads, server-side applies,
// and deletions bound to a UID.
func judge(err error) retry.Verdict {
	switch {
	case apierrors.IsTooManyRequests(err), apierrors.IsServerTimeout(err), apierrors.IsServiceUnavailable(err),
		apierrors.IsTimeout(err), apierrors.IsInternalError(err):
		seconds, _ := apierrors.SuggestsClientDelay(err)
		return retry.Verdict{Again: true, After: time.Duration(seconds) * time.Second}
	case statusCode(err) >= http.StatusInternalServerError:
		return retry.Verdict{Again: true}
	case statusCode(err) != 0:
		return retry.Final
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNREFUSED),
		utilnet.IsConnectionReset(err), utilnet.IsProbableEOF(err), isConnectionGone(err), isStreamError(err), isTimeout(err):
		return retry.Verdict{Again: true}
	}
	return retry.Final
}

// judgeApply adds one failure that may pass: many objects made at once in a namespace with a
// ResourceQuota collide on counting themselves in it (helm/helm#9710), and the API server
// answers with a conflict on the quota instead of on what was applied.
func judgeApply(kind Kind) func(error) retry.Verdict {
	return func(err error) retry.Verdict {
		var api apierrors.APIStatus
		if apierrors.IsConflict(err) && errors.As(err, &api) && kind != ResourceQuota {
			if details := api.Status().Details; details != nil && details.Kind == ResourceQuota.Resource {
				return retry.Verdict{Again: true}
			}
		}
		return judge(err)
	}
}

func isStreamError(err error) bool {
	var stream http2.StreamError
	return errors.As(err, &stream)
}

// isConnectionGone says whether an HTTP/2 connection ended under a request. The library has no
// exported error for it, only messages that begin alike ("client connection lost", "client
// connection force closed via ClientConn.Close", "client conn not usable").
func isConnectionGone(err error) bool {
	var failed *url.Error
	return errors.As(err, &failed) && strings.HasPrefix(failed.Err.Error(), "http2: client conn")
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// statusCode is the HTTP status behind an API error, 0 for any other error.
func statusCode(err error) int {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return int(status.Status().Code)
	}
	return 0
}

// IsNotFound says whether the API server said, for certain, that the object is not there.
// A 404 for the whole path (an API that is not served, a proxy's page) is not that.
func IsNotFound(err error) bool {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return false
	}
	status := api.Status()
	return status.Code == http.StatusNotFound && status.Reason == metav1.StatusReasonNotFound &&
		status.Details != nil && status.Details.Name != "" && !apierrors.IsUnexpectedServerError(err)
}

// IsNotServed says whether the API server does not know the kind at all.
func IsNotServed(err error) bool {
	return statusCode(err) == http.StatusNotFound && !IsNotFound(err)
}

// IsAlreadyExists says whether an object of that name stands already.
func IsAlreadyExists(err error) bool { return apierrors.IsAlreadyExists(err) }

// IsTooLarge says whether the API server refused an object for its size.
func IsTooLarge(err error) bool { return apierrors.IsRequestEntityTooLargeError(err) }

// ErrTaken says that an object of that name stands and belongs to somebody else.
var ErrTaken = errors.New("it exists and belongs to somebody else")

// IsForbidden says whether the API server knows who asks and refuses.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }

// IsUnreachable says whether nothing that speaks for a cluster could be reached: no
// kubeconfig yet, nobody listening, no answer.
func IsUnreachable(err error) bool {
	var exhausted *retry.Exhausted
	return errors.Is(err, os.ErrNotExist) || clientcmd.IsEmptyConfig(err) ||
		(errors.As(err, &exhausted) && statusCode(err) == 0)
}

// Explain adds to an API error what to do about it, where we know.
func Explain(err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("%w\n\nThe API server did not accept the credentials. They may have expired during the run: renew them and run again; nothing was lost", err)
	case strings.Contains(err.Error(), "admission webhook"):
		return fmt.Errorf("%w\n\nAn admission webhook of the cluster stands in the way. Read its reason above; where it does not answer at all, see to the webhook's own pods", err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w\n\nGrant this verb to the identity that Trainyard uses; the documentation of the resource has the ClusterRole it needs", err)
	case IsNotServed(err):
		return fmt.Errorf("%w\n\nThe API server does not serve this kind. For queues, install Volcano first", err)
	}
	return err
}
