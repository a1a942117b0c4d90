// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/volcano/crdgen"
)

func TestDefinitionsAreCurrent(t *testing.T) {
	want, err := crdgen.Generate()
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(definitionsYAML) {
		t.Error("definitions.yaml is not what volcano.sh/apis gives: run go generate ./...")
	}
}

func TestDefinitions(t *testing.T) {
	definitions, err := Definitions()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]apiextensionsv1.ResourceScope{}
	for _, definition := range definitions {
		got[definition.Name] = definition.Spec.Scope
	}
	want := map[string]apiextensionsv1.ResourceScope{
		"commands.bus.volcano.sh":            apiextensionsv1.NamespaceScoped,
		"cronjobs.batch.volcano.sh":          apiextensionsv1.NamespaceScoped,
		"hypernodes.topology.volcano.sh":     apiextensionsv1.ClusterScoped,
		"jobflows.flow.volcano.sh":           apiextensionsv1.NamespaceScoped,
		"jobs.batch.volcano.sh":              apiextensionsv1.NamespaceScoped,
		"jobtemplates.flow.volcano.sh":       apiextensionsv1.NamespaceScoped,
		"numatopologies.nodeinfo.volcano.sh": apiextensionsv1.ClusterScoped,
		"podgroups.scheduling.volcano.sh":    apiextensionsv1.NamespaceScoped,
		"queues.scheduling.volcano.sh":       apiextensionsv1.ClusterScoped,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
}

func TestQueueDefinitionHasWhatVolcanoReliesOn(t *testing.T) {
	definitions, err := Definitions()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(definitions, func(d apiextensionsv1.CustomResourceDefinition) bool {
		return d.Name == "queues.scheduling.volcano.sh"
	})
	version := definitions[i].Spec.Versions[0]
	if version.Subresources == nil || version.Subresources.Status == nil {
		t.Error("queues have no status subresource")
	}
	spec := version.Schema.OpenAPIV3Schema.Properties["spec"].Properties
	if got := string(spec["weight"].Default.Raw); got != "1" {
		t.Errorf("the default weight is %s", got)
	}
	for _, field := range []string{"capability", "deserved", "guarantee", "parent", "priority", "reclaimable"} {
		if _, ok := spec[field]; !ok {
			t.Errorf("the definition of queues lacks %s", field)
		}
	}
}

func TestWebhooksAreRegisteredByURLAndRemoved(t *testing.T) {
	ctx := context.Background()
	client := fake.NewClientset().AdmissionregistrationV1()
	registration := Webhooks{Client: client, URL: "https://127.0.0.1:8443", CABundle: []byte("ca")}
	for range 2 { // a second time changes nothing
		if err := registration.Register(ctx); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	mutating, err := client.MutatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, configuration := range mutating.Items {
		got[configuration.Name] = *configuration.Webhooks[0].ClientConfig.URL
	}
	validating, err := client.ValidatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, configuration := range validating.Items {
		got[configuration.Name] = *configuration.Webhooks[0].ClientConfig.URL
	}
	want := map[string]string{}
	for _, path := range []string{"jobs/mutate", "podgroups/mutate", "pods/mutate", "queues/mutate", "jobs/validate", "pods/validate", "queues/validate"} {
		want["volcano-admission-service-"+strings.ReplaceAll(path, "/", "-")] = "https://127.0.0.1:8443/" + path
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("webhooks (-want +got):\n%s", diff)
	}
	if err := registration.Remove(ctx); err != nil {
		t.Fatal(err)
	}
	if left, err := client.ValidatingWebhookConfigurations().List(ctx, metav1.ListOptions{}); err != nil || len(left.Items) > 0 {
		t.Errorf("after Remove there are %d webhooks, error %v", len(left.Items), err)
	}
}
