// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Review is a question to an admission webhook. Number counts them from 1.
type Review struct {
	Number                    int
	Resource, Operation, Name string
	// DryRun: nothing will be written.
	DryRun bool
}

// Verdict is the answer; the zero Verdict allows.
type Verdict struct {
	// Deny is the reason of a refusal.
	Deny string
	// Code is an HTTP status to answer with instead of a verdict.
	Code int
	// Delay comes before the answer. The API server waits for a second.
	Delay time.Duration
}

// Webhook puts an admission webhook before the creation and change of objects of these kinds
// that carry the owner's label, until the test ends. It returns once the API server asks it.
func (b *Bed) Webhook(owner string, judge func(Review) Verdict, kinds ...kube.Kind) {
	b.t.Helper()
	hook := &webhook{judge: judge}
	server := httptest.NewTLSServer(hook)
	b.t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	name := Name("acc-hook")
	var rules strings.Builder
	for _, kind := range append(kinds, ConfigMap) {
		fmt.Fprintf(&rules, "{apiGroups: [%q], apiVersions: [%q], operations: [CREATE, UPDATE], resources: [%q]},", kind.Group, kind.Version, kind.Resource)
	}
	b.Make(ValidatingWebhook, "", fmt.Sprintf(`
metadata: {name: %q}
webhooks:
- name: hook.acc.trainyard.io
  clientConfig: {url: %q, caBundle: %s}
  rules: [%s]
  objectSelector: {matchLabels: {%s: %q}}
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 1
  admissionReviewVersions: [v1]
`, name, server.URL, base64.StdEncoding.EncodeToString(authority), rules.String(), objects.LabelOwner, owner))
	b.t.Cleanup(func() { b.Begin(ValidatingWebhook, "", name) })
	b.Await("the API server to ask the webhook", func() bool {
		b.probe(owner, name)
		return hook.probed()
	})
}

// probe asks the API server for something that goes through the webhook and changes nothing.
func (b *Bed) probe(owner, name string) {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	object := &objects.Object{}
	object.SetGroupVersionKind(ConfigMap.GroupVersionKind)
	object.SetName(name)
	object.SetLabels(map[string]string{objects.LabelOwner: owner})
	_, err := b.on(ConfigMap, "default").Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	b.check(err, "probe the webhook")
}

type webhook struct {
	judge func(Review) Verdict

	mu     sync.Mutex
	asked  int
	probes int
}

func (h *webhook) probed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.probes > 0
}

// admission is the part of an AdmissionReview that matters here.
type admission struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Request    *admissionRequest  `json:"request,omitempty"`
	Response   *admissionResponse `json:"response,omitempty"`
}

type admissionRequest struct {
	UID       string                      `json:"uid"`
	Name      string                      `json:"name"`
	Operation string                      `json:"operation"`
	DryRun    bool                        `json:"dryRun"`
	Resource  metav1.GroupVersionResource `json:"resource"`
}

type admissionResponse struct {
	UID     string         `json:"uid"`
	Allowed bool           `json:"allowed"`
	Status  *metav1.Status `json:"status,omitempty"`
}

// ServeHTTP answers one AdmissionReview.
func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admission
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	verdict := h.verdict(*review.Request)
	select {
	case <-time.After(verdict.Delay):
	case <-r.Context().Done():
		return
	}
	if verdict.Code != 0 {
		http.Error(w, "the webhook is starting", verdict.Code)
		return
	}
	review.Response = &admissionResponse{UID: review.Request.UID, Allowed: verdict.Deny == "", Status: &metav1.Status{Message: verdict.Deny}}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

func (h *webhook) verdict(request admissionRequest) Verdict {
	h.mu.Lock()
	defer h.mu.Unlock()
	if request.Resource.Resource == ConfigMap.Resource {
		h.probes++
		return Verdict{}
	}
	h.asked++
	return h.judge(Review{Number: h.asked, Resource: request.Resource.Resource, Operation: request.Operation, Name: request.Name, DryRun: request.DryRun})
}
