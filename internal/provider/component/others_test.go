// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

var mutatingWebhook = acctest.Kind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", false)

// patch changes an object through a subresource, as controllers and kubectl scale do.
func (s *stage) patch(kind kube.Kind, name, text, subresource string) {
	s.t.Helper()
	client := s.Client()
	_, err := client.Resource(kind.GroupVersion().WithResource(kind.Resource)).Namespace(s.ns).
		Patch(s.t.Context(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{FieldManager: acctest.Editor}, subresource)
	if err != nil {
		s.t.Fatalf("patch the %s of %s %s: %v", subresource, kind, name, err)
	}
}

func (s *stage) status(kind kube.Kind, name, text string) {
	s.t.Helper()
	s.patch(kind, name, text, "status")
}

// scale is kubectl scale.
func (s *stage) scale(name string, replicas int) {
	s.t.Helper()
	s.patch(deployment, name, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas), "scale")
}

// mutates puts a webhook before the creation and change of objects with the owner's label, which
// applies a JSON patch to each, until the test ends.
func (s *stage) mutates(owner, patch string, kind kube.Kind) {
	s.t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review map[string]any
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		request, _ := review["request"].(map[string]any)
		answer := map[string]any{"apiVersion": review["apiVersion"], "kind": review["kind"], "response": map[string]any{
			"uid": request["uid"], "allowed": true, "patchType": "JSONPatch", "patch": []byte(patch),
		}}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	s.t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	name := acctest.Name("acc-mutate")
	s.Make(mutatingWebhook, "", fmt.Sprintf(`
metadata: {name: %q}
webhooks:
- name: mutate.acc.trainyard.io
  clientConfig: {url: %q, caBundle: %s}
  rules: [{apiGroups: [%q], apiVersions: [%q], operations: [CREATE, UPDATE], resources: [%q]}]
  objectSelector: {matchLabels: {%s: %q}}
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 5
  reinvocationPolicy: IfNeeded
  admissionReviewVersions: [v1]
`, name, server.URL, base64.StdEncoding.EncodeToString(authority), kind.Group, kind.Version, kind.Resource, objects.LabelOwner, owner))
	s.t.Cleanup(func() { s.Begin(mutatingWebhook, "", name) })
}
