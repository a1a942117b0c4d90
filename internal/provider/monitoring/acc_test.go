// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

var (
	rules       = acctest.Kind("monitoring.coreos.com", "v1", "PrometheusRule", "prometheusrules", true)
	monitors    = acctest.Kind("monitoring.coreos.com", "v1", "ServiceMonitor", "servicemonitors", true)
	prometheus  = acctest.Kind("monitoring.coreos.com", "v1", "Prometheus", "prometheuses", true)
	definitions = acctest.Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false)
	deployments = acctest.Kind("apps", "v1", "Deployment", "deployments", true)
	daemonSets  = acctest.Kind("apps", "v1", "DaemonSet", "daemonsets", true)
)

const alertmanager = "alertmanager-kube-prometheus-stack-alertmanager"

// TestAccMonitoring runs its tests one after the other: they share the definitions of the
// stand-in for the stack, which no destroy takes away. The first one finds none.
func TestAccMonitoring(t *testing.T) {
	bed := acctest.New(t)
	for _, name := range []string{"prometheusrules", "servicemonitors", "podmonitors", "prometheuses"} {
		bed.Clean(definitions, "", name+".monitoring.coreos.com")
	}
	for _, test := range []struct {
		name string
		run  func(s *site)
	}{
		{"watches a platform", watches},
		{"an override changes its rule alone", overrides},
		{"an external Prometheus gets rules only", external},
		{"secrets stay out", secretly},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newSite(t)) })
	}
}

// site is a namespace of one test.
type site struct {
	*acctest.Bed
	t  *testing.T
	ns string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{Bed: acctest.New(t), t: t, ns: acctest.Name("acc-monitoring")}
	s.Clean(kube.Namespace, "", s.ns)
	return s
}

func chart(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(acctest.Root(t), "internal", "provider", "monitoring", "testdata", name)
}

// stack is the argument prometheus, with more in it.
func (s *site) stack(more string) string {
	return fmt.Sprintf("prometheus = {\n namespace = %q\n chart = { path = %q }\n %s\n}", s.ns, chart(s.t, "kube-prometheus-stack"), more)
}

// exporter is the argument gpu_exporter.
func (s *site) exporter() string {
	return fmt.Sprintf("gpu_exporter = { namespace = %q, chart = { path = %q } }", s.ns, chart(s.t, "dcgm-exporter"))
}

func (s *site) config(arguments ...string) string {
	return acctest.Owned("default") + fmt.Sprintf(`
resource "trainyard_monitoring" "this" {
  name                = %q
  deletion_protection = false
  %s
}
`, s.ns, strings.Join(arguments, "\n"))
}

// found is a text somewhere in an object; a key of a Secret is decoded.
func (s *site) found(kind kube.Kind, name string, path ...string) string {
	s.t.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(s.Get(kind, s.ns, name).Object, path...)
	if err != nil {
		s.t.Fatal(err)
	}
	if kind == kube.Secret {
		decoded, err := base64.StdEncoding.DecodeString(fmt.Sprint(value))
		if err != nil {
			s.t.Fatal(err)
		}
		return string(decoded)
	}
	return fmt.Sprint(value)
}

// has fails the test for each text that another one lacks.
func has(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%.6000s", want, text)
		}
	}
}

func (s *site) gone(kind kube.Kind, names ...string) {
	s.t.Helper()
	for _, name := range names {
		if s.Find(kind, s.ns, name) != nil {
			s.t.Errorf("%s %s is still there", kind.Kind, name)
		}
	}
}
