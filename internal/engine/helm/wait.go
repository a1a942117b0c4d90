// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// awaited are the kinds of which a release is only ready when they are. Of custom resources
// every operator says something else, so that they are not waited for.
var awaited = []string{"Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job", "Pod", "APIService", definitionKind}

// shelf is where the objects of one kind lie.
type shelf struct {
	kind      kube.Kind
	namespace string
}

// settle waits until what a release made is ready. While it waits, it says which object is late
// and why.
func (r *run) settle(ctx context.Context, made []*objects.Object) error {
	waiting := map[shelf][]string{}
	var order []shelf
	for _, object := range made {
		if !slices.Contains(awaited, object.GetKind()) {
			continue
		}
		kind, err := r.kindOf(ctx, r.scopes, object)
		if err != nil {
			return err
		}
		at := shelf{kind: kind, namespace: object.GetNamespace()}
		if waiting[at] == nil {
			order = append(order, at)
		}
		waiting[at] = append(waiting[at], object.GetName())
	}
	for _, at := range order {
		what := fmt.Sprintf("%s of %s to be ready", strings.Join(waiting[at], ", "), at.kind)
		err := kube.Await(ctx, what, func(ctx context.Context) (bool, string, error) { return r.ready(ctx, at, waiting[at]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// ready looks at the awaited objects of one kind, and says which is late and why.
func (r *run) ready(ctx context.Context, at shelf, names []string) (bool, string, error) {
	query := kube.Query{Namespace: at.namespace, Labels: objects.LabelOwner + "=" + r.want.Owner.Owner +
		"," + objects.LabelResource + "=" + r.want.Owner.Resource + "," + objects.LabelName + "=" + r.want.Owner.Name}
	all, err := r.Cluster.WholeOf(ctx, at.kind, query)
	if err != nil {
		return false, err.Error(), err
	}
	var late []string
	for _, name := range names {
		i := slices.IndexFunc(all, func(o *objects.Object) bool { return o.GetName() == name })
		if i < 0 {
			late = append(late, fmt.Sprintf("%s %s: not there", at.kind, name))
			continue
		}
		result, err := status.Compute(all[i])
		switch {
		case err != nil:
			return false, "", fmt.Errorf("read the status of %s: %w", objects.Ref(all[i]), err)
		case result.Status == status.FailedStatus && at.kind.Kind == "Job":
			return false, "", fmt.Errorf("%s failed: %s%s", objects.Ref(all[i]), result.Message, r.podTrouble(ctx, all[i]))
		case result.Status != status.CurrentStatus:
			late = append(late, fmt.Sprintf("%s: %s%s", objects.Ref(all[i]), result.Message, r.podTrouble(ctx, all[i])))
		}
	}
	return len(late) == 0, strings.Join(late, "; "), nil
}

// hasEnded says whether a Job or a Pod has ended well; that it failed is an error.
func hasEnded(live *objects.Object) (bool, string, error) {
	if live.GetKind() == "Pod" {
		phase, _, _ := unstructured.NestedString(live.Object, "status", "phase")
		message, _, _ := unstructured.NestedString(live.Object, "status", "message")
		if phase == "Failed" {
			return false, "", fmt.Errorf("%s failed: %s%s", objects.Ref(live), message, trouble(live))
		}
		return phase == "Succeeded", fmt.Sprintf("%s is %s%s", objects.Ref(live), phase, trouble(live)), nil
	}
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		if condition["status"] != "True" {
			continue
		}
		switch condition["type"] {
		case "Complete":
			return true, "", nil
		case "Failed":
			return false, "", fmt.Errorf("%s failed: %v", objects.Ref(live), condition["message"])
		}
	}
	return false, objects.Ref(live) + " is at work", nil
}

var podKind = kube.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Resource: "pods", Namespaced: true}

// podTrouble says what is wrong with the first pod of a workload that is in trouble. It helps to
// understand a wait, so that a failure to look changes nothing.
func (r *run) podTrouble(ctx context.Context, workload *objects.Object) string {
	if workload.GetKind() == "Pod" {
		return trouble(workload)
	}
	labels, _, _ := unstructured.NestedStringMap(workload.Object, "spec", "selector", "matchLabels")
	var pairs []string
	for key, value := range labels {
		pairs = append(pairs, key+"="+value)
	}
	if len(pairs) == 0 {
		return ""
	}
	slices.Sort(pairs)
	pods, err := r.Cluster.WholeOf(ctx, podKind, kube.Query{Namespace: workload.GetNamespace(), Labels: strings.Join(pairs, ",")})
	if err != nil {
		return ""
	}
	for _, pod := range pods {
		if text := trouble(pod); text != "" {
			return " (Pod " + pod.GetName() + ":" + text + ")"
		}
	}
	return ""
}

// trouble says why a pod does not run: it was not scheduled, or a container of it waits or died.
func trouble(pod *objects.Object) string {
	conditions, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		if condition["type"] == "PodScheduled" && condition["status"] == "False" {
			return fmt.Sprintf(" %v, %v", condition["reason"], condition["message"])
		}
	}
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		containers, _, _ := unstructured.NestedSlice(pod.Object, "status", list)
		for _, entry := range containers {
			container, _ := entry.(map[string]any)
			for _, state := range []string{"waiting", "terminated"} {
				reason, _, _ := unstructured.NestedString(container, "state", state, "reason")
				message, _, _ := unstructured.NestedString(container, "state", state, "message")
				if reason != "" && reason != "Completed" && reason != "PodInitializing" && reason != "ContainerCreating" {
					return strings.TrimRight(fmt.Sprintf(" container %v: %s, %s", container["name"], reason, message), ", ")
				}
			}
		}
	}
	return ""
}
