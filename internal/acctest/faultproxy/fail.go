// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fail answers a request in the way of its fault.
func (p *Proxy) fail(w http.ResponseWriter, r *http.Request, kind Kind) {
	switch kind {
	case TooManyRequests:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
	case InternalError:
		status(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "Internal error occurred: etcdserver: leader changed")
	case Unavailable:
		page(w, http.StatusServiceUnavailable, "no healthy upstream")
	case Unauthorized:
		status(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
	case Forbidden:
		request := parse(r)
		status(w, http.StatusForbidden, metav1.StatusReasonForbidden,
			fmt.Sprintf("%s is forbidden: User %q cannot %s it", request.Resource, "system:serviceaccount:ci:deployer", request.Verb))
	case QuotaConflict:
		conflict := apierrors.NewConflict(schema.GroupResource{Resource: "resourcequotas"}, "all", errors.New("the object has been modified; please apply your changes to the latest version and try again"))
		answer(w, conflict.ErrStatus)
	case NotFoundPage:
		page(w, http.StatusNotFound, "<html><body>404 Not Found</body></html>")
	case WrongPage:
		page(w, http.StatusOK, "<html><body>Please log in</body></html>")
	case Reset:
		if conn, ok := tcp(r); ok {
			_ = conn.SetLinger(0) // closing then sends RST
			_ = conn.Close()
		}
		panic(http.ErrAbortHandler)
	case Hang:
		p.wait(r, 0)
	case CutBody, CutChunk:
		p.cut(w, r, kind == CutBody)
	case Slow:
		p.wait(r, slowness)
		p.forward.ServeHTTP(w, r)
	}
}

// wait pauses for a while; 0: until the client leaves.
func (p *Proxy) wait(r *http.Request, pause time.Duration) {
	var over <-chan time.Time
	if pause > 0 {
		over = time.After(pause)
	}
	select {
	case <-over:
	case <-r.Context().Done():
	case <-p.closing:
	}
}

// cut sends half of the true answer and breaks off.
func (p *Proxy) cut(w http.ResponseWriter, r *http.Request, announce bool) {
	whole := httptest.NewRecorder()
	p.forward.ServeHTTP(whole, r)
	for key, values := range whole.Header() {
		w.Header()[key] = values
	}
	w.Header().Del("Content-Length")
	body := whole.Body.Bytes()
	if announce {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(whole.Code)
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// status answers as the API server does.
func status(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	answer(w, metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message})
}

func answer(w http.ResponseWriter, status metav1.Status) {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	_ = json.NewEncoder(w).Encode(status)
}

// page answers as something that is no API server does.
func page(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text))
}
