// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

const (
	// LabelCostCenter on a namespace says who pays for what runs there.
	LabelCostCenter = "trainyard.io/cost-center"
	// AnnotationQueue on a namespace is the queue that Volcano's admission webhook
	// gives to the pod groups that name none.
	AnnotationQueue = "scheduling.volcano.sh/queue-name"

	podSecurityPrefix = "pod-security.kubernetes.io/"
	versionSuffix     = "-version"
)

func teamNamespace(t spec.Team, o Owner) *Object {
	namespace := teamObject("v1", "Namespace", t.Name, t, o)
	metadata := nested[map[string]any](namespace.Object, "metadata")

	labels := nested[map[string]any](metadata, "labels")
	for key, value := range t.Labels {
		labels[key] = value
	}
	if t.CostCenter != "" {
		labels[LabelCostCenter] = t.CostCenter
	}
	for mode, level := range map[string]string{
		"enforce": t.PodSecurity.Enforce, "audit": t.PodSecurity.Audit, "warn": t.PodSecurity.Warn,
	} {
		if level != "" {
			labels[podSecurityPrefix+mode] = level
			labels[podSecurityPrefix+mode+versionSuffix] = t.PodSecurity.Version
		}
	}

	annotations := content(t.Annotations)
	if t.Queue != "" {
		annotations[AnnotationQueue] = t.Queue
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	return namespace
}

func namespaceInto(t *spec.Team, namespace *Object) {
	labels, annotations := namespace.GetLabels(), namespace.GetAnnotations()
	t.Name = namespace.GetName()
	t.Labels, t.Annotations = unreserved(labels), unreserved(annotations)
	t.CostCenter = labels[LabelCostCenter]
	t.Queue = annotations[AnnotationQueue]
	t.PodSecurity = spec.PodSecurity{
		Enforce: labels[podSecurityPrefix+"enforce"],
		Audit:   labels[podSecurityPrefix+"audit"],
		Warn:    labels[podSecurityPrefix+"warn"],
		Version: labels[podSecurityPrefix+"enforce"+versionSuffix],
	}
}

// unreserved returns the labels or annotations that a user may have set.
func unreserved(metadata map[string]string) map[string]string {
	var kept map[string]string
	for key, value := range metadata {
		if spec.ReservedMetadata(key) {
			continue
		}
		if kept == nil {
			kept = map[string]string{}
		}
		kept[key] = value
	}
	return kept
}
