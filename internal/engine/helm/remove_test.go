// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func object(kind, name string, annotations map[string]string) *objects.Object {
	o := &objects.Object{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
	o.SetName(name)
	o.SetAnnotations(annotations)
	return o
}

func TestLeavingGoesInTheOrderOfNeeds(t *testing.T) {
	made := map[string]*objects.Object{}
	for _, kind := range []string{
		"Namespace", definitionKind, "ClusterRole", "Secret", "Deployment", "CephCluster", "ValidatingWebhookConfiguration", "APIService",
	} {
		made[kind] = object(kind, "x", nil)
	}
	var got []string
	for _, o := range leaving(made, []*objects.Object{object(definitionKind, "from-folder", nil)}) {
		got = append(got, objects.Ref(o))
	}
	want := []string{
		"APIService x", "ValidatingWebhookConfiguration x", "CephCluster x", "Deployment x", "Secret x", "ClusterRole x",
		definitionKind + " x", "Namespace x", definitionKind + " from-folder",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestKeeps(t *testing.T) {
	for _, test := range []struct {
		name   string
		object *objects.Object
		lose   Lose
		stays  bool
	}{
		{"a deployment goes", object("Deployment", "x", nil), Lose{}, false},
		{"what the chart keeps stays", object("Deployment", "x", map[string]string{"helm.sh/resource-policy": "keep"}), Lose{CRDs: true, Volumes: true}, true},
		{"a definition stays", object(definitionKind, "x", nil), Lose{Volumes: true}, true},
		{"a definition that is named goes", object(definitionKind, "x", nil), Lose{CRDs: true}, false},
		{"a claim stays", object("PersistentVolumeClaim", "x", nil), Lose{CRDs: true}, true},
		{"a claim that is named goes", object("PersistentVolumeClaim", "x", nil), Lose{Volumes: true}, false},
		{"a volume stays", object("PersistentVolume", "x", nil), Lose{}, true},
		{"a namespace stays", object("Namespace", "x", nil), Lose{CRDs: true}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if why := keeps(test.object, test.lose); (why != "") != test.stays {
				t.Errorf("stays because %q", why)
			}
		})
	}
}

func TestImages(t *testing.T) {
	all, err := parse(`apiVersion: batch/v1
kind: CronJob
metadata: {name: x}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: b}], initContainers: [{image: a}]}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: x}
spec: {template: {spec: {containers: [{image: b}, {image: c}, {name: none}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: x}
`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, images(all)); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}
