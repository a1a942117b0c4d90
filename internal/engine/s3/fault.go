// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

// Fault is an answer of a server that is no success.
type Fault struct {
	// Host is the server's, with what it calls itself.
	Host   string
	Status int
	// Code and Message are as S3 has them; without a code, what answered does not speak S3.
	Code, Message string
	// Region is where the bucket is, where the server says so.
	Region string
	// Ahead is how far the server's clock is before ours; nil where its answer had no date.
	Ahead *time.Duration
	// After is how long the server asks us to wait.
	After time.Duration
}

func (f *Fault) Error() string {
	text := fmt.Sprintf("%s answers %d", f.Host, f.Status)
	if f.Code == "" {
		return fmt.Sprintf("%s %s, and not in the way of S3", text, http.StatusText(f.Status))
	}
	text += " " + f.Code
	if f.Message != "" {
		text += ": " + strings.TrimSuffix(f.Message, ".")
	}
	return text
}

// code is that of the fault behind an error, "" for any other error.
func code(err error) string {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault.Code
	}
	return ""
}

// isAbsent says whether the server said, for certain, that the bucket is not there. A page with
// a 404, of a proxy or another program, is not that.
func isAbsent(err error) bool {
	var fault *Fault
	return errors.As(err, &fault) && fault.Status == http.StatusNotFound && fault.Code == "NoSuchBucket"
}

// isUnsupported says whether the server said that it does not have what was asked for.
// VersioningNotConfigured is versitygw's word where it has no place for versions.
func isUnsupported(err error) bool {
	return errors.Is(err, errUnsupported) ||
		slices.Contains([]string{"NotImplemented", "XNotImplemented", "MethodNotAllowed", "VersioningNotConfigured"}, code(err))
}

var errUnsupported = errors.New("the server has no such thing")

// unreachableError is a request without an answer.
type unreachableError struct {
	host  string
	limit time.Duration
	slow  bool // it is our limit of one request that ended it
	cause error
}

func (e *unreachableError) Error() string {
	if e.slow {
		return fmt.Sprintf("%s did not answer within %s", e.host, e.limit)
	}
	if errors.Is(e.cause, io.EOF) || errors.Is(e.cause, io.ErrUnexpectedEOF) {
		// The client above replaces errors that have EOF in their text, and loses what they are.
		return e.host + " closed the connection before it answered"
	}
	return fmt.Sprintf("%s cannot be reached: %v", e.host, e.cause)
}

func (e *unreachableError) Unwrap() error { return e.cause }

// judge says which failures may pass: those that the server says so of, and broken connections.
// Every request of ours may be repeated.
func judge(err error) retry.Verdict {
	var fault *Fault
	if errors.As(err, &fault) {
		passing := slices.Contains([]string{"SlowDown", "RequestTimeout", "OperationAborted", "InternalError"}, fault.Code) ||
			slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooManyRequests}, fault.Status) ||
			(fault.Status >= http.StatusInternalServerError && fault.Status != http.StatusNotImplemented)
		return retry.Verdict{Again: passing, After: fault.After}
	}
	var unreachable *unreachableError
	var timeout net.Error
	broken := errors.As(err, &unreachable) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) ||
		(errors.As(err, &timeout) && timeout.Timeout())
	return retry.Verdict{Again: broken && !isUntrusted(err)}
}

func isUntrusted(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &name)
}
