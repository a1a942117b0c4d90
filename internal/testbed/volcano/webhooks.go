// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"context"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedadmissionv1 "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
)

// webhook is one admission path of vc-webhook-manager.
type webhook struct {
	path       string
	group      string
	version    string
	resource   string
	operations []admissionregistrationv1.OperationType
}

const (
	onCreate = admissionregistrationv1.Create
	onUpdate = admissionregistrationv1.Update
	onDelete = admissionregistrationv1.Delete
)

// webhooks are those that vc-webhook-manager enables by itself, with the rules
// of Volcano's own chart.
var webhooks = []webhook{
	{"/jobs/mutate", "batch.volcano.sh", "v1alpha1", "jobs", operations(onCreate)},
	{"/podgroups/mutate", "scheduling.volcano.sh", "v1beta1", "podgroups", operations(onCreate)},
	{"/pods/mutate", "", "v1", "pods", operations(onCreate)},
	{"/queues/mutate", "scheduling.volcano.sh", "v1beta1", "queues", operations(onCreate)},
	{"/jobs/validate", "batch.volcano.sh", "v1alpha1", "jobs", operations(onCreate, onUpdate)},
	{"/pods/validate", "", "v1", "pods", operations(onCreate)},
	{"/queues/validate", "scheduling.volcano.sh", "v1beta1", "queues", operations(onCreate, onUpdate, onDelete)},
}

func operations(list ...admissionregistrationv1.OperationType) []admissionregistrationv1.OperationType {
	return list
}

func (w webhook) mutates() bool { return strings.HasSuffix(w.path, "/mutate") }

// name is the name under which vc-webhook-manager looks for the configuration,
// to put its authority's certificate there.
func (w webhook) name() string {
	return "volcano-admission-service" + strings.ReplaceAll(w.path, "/", "-")
}

// WebhookPaths is the value of vc-webhook-manager's --enabled-admission.
func WebhookPaths() string {
	paths := make([]string, 0, len(webhooks))
	for _, w := range webhooks {
		paths = append(paths, w.path)
	}
	return strings.Join(paths, ",")
}

// Webhooks registers and removes vc-webhook-manager's webhooks.
type Webhooks struct {
	Client typedadmissionv1.AdmissionregistrationV1Interface
	// URL is where vc-webhook-manager listens, such as "https://127.0.0.1:8443".
	// There is no Service: nothing here gives pods or services a network.
	URL string
	// CABundle is the PEM certificate of the authority behind that address.
	CABundle []byte
}

// Register creates the webhook configurations that are not there yet. Address
// and authority stay the same throughout a testbed's life.
func (r Webhooks) Register(ctx context.Context) error {
	for _, w := range webhooks {
		if err := r.register(ctx, w); err != nil {
			return fmt.Errorf("cannot register webhook %q: %w", w.path, err)
		}
	}
	return nil
}

func (r Webhooks) register(ctx context.Context, w webhook) error {
	var err error
	if w.mutates() {
		_, err = r.Client.MutatingWebhookConfigurations().Create(ctx, r.mutating(w), metav1.CreateOptions{})
	} else {
		_, err = r.Client.ValidatingWebhookConfigurations().Create(ctx, r.validating(w), metav1.CreateOptions{})
	}
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// Remove removes the configurations, so that objects are admitted while
// vc-webhook-manager does not run.
func (r Webhooks) Remove(ctx context.Context) error {
	for _, w := range webhooks {
		if err := r.remove(ctx, w); err != nil {
			return fmt.Errorf("cannot remove webhook %q: %w", w.path, err)
		}
	}
	return nil
}

func (r Webhooks) remove(ctx context.Context, w webhook) error {
	var err error
	if w.mutates() {
		err = r.Client.MutatingWebhookConfigurations().Delete(ctx, w.name(), metav1.DeleteOptions{})
	} else {
		err = r.Client.ValidatingWebhookConfigurations().Delete(ctx, w.name(), metav1.DeleteOptions{})
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (r Webhooks) mutating(w webhook) *admissionregistrationv1.MutatingWebhookConfiguration {
	return &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: w.name()},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name:                    "mutate" + strings.TrimSuffix(w.resource, "s") + ".volcano.sh",
			ClientConfig:            r.clientConfig(w),
			Rules:                   w.rules(),
			FailurePolicy:           new(admissionregistrationv1.Fail),
			SideEffects:             new(admissionregistrationv1.SideEffectClassNoneOnDryRun),
			NamespaceSelector:       notSystem(),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func (r Webhooks) validating(w webhook) *admissionregistrationv1.ValidatingWebhookConfiguration {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: w.name()},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    "validate" + strings.TrimSuffix(w.resource, "s") + ".volcano.sh",
			ClientConfig:            r.clientConfig(w),
			Rules:                   w.rules(),
			FailurePolicy:           new(admissionregistrationv1.Fail),
			SideEffects:             new(admissionregistrationv1.SideEffectClassNoneOnDryRun),
			NamespaceSelector:       notSystem(),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func (r Webhooks) clientConfig(w webhook) admissionregistrationv1.WebhookClientConfig {
	return admissionregistrationv1.WebhookClientConfig{URL: new(r.URL + w.path), CABundle: slices.Clone(r.CABundle)}
}

func (w webhook) rules() []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: w.operations,
		Rule: admissionregistrationv1.Rule{
			APIGroups: []string{w.group}, APIVersions: []string{w.version}, Resources: []string{w.resource},
		},
	}}
}

func notSystem() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key: "kubernetes.io/metadata.name", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"kube-system", "volcano-system"},
	}}}
}
