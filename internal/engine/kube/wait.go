// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Polling starts fast, for what takes a second, and slows down for what takes minutes.
const (
	pollFirst   = 100 * time.Millisecond
	pollLongest = 2 * time.Second
	reportEvery = 10 * time.Second
)

// Await polls until look reports true. Until then look says what is still missing: that is
// logged every 10 seconds and stands in the error when time runs out.
func Await(ctx context.Context, what string, look func(context.Context) (done bool, missing string, err error)) error {
	start, reported := time.Now(), time.Now()
	for wait := pollFirst; ; wait = min(wait*3/2, pollLongest) {
		done, missing, err := look(ctx)
		if done || (err != nil && ctx.Err() == nil) {
			return err
		}
		if time.Since(reported) >= reportEvery {
			reported = time.Now()
			tflog.Info(ctx, "Waiting", map[string]any{"for": what, "missing": missing, "since": time.Since(start).Round(time.Second).String()})
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited %s for %s; still missing: %s", time.Since(start).Round(100*time.Millisecond), what, missing)
		case <-time.After(wait):
		}
	}
}

// AwaitGone waits until exactly this object is gone. For a namespace that does not go, the
// error names what is left in it and which finalizers hold it.
func (c *Cluster) AwaitGone(ctx context.Context, object *objects.Object) error {
	kind, err := KindOf(object)
	if err != nil {
		return err
	}
	return Await(ctx, objects.Ref(object)+" to be gone", func(ctx context.Context) (bool, string, error) {
		live, err := c.Get(ctx, kind, object.GetNamespace(), object.GetName())
		if err != nil {
			return false, err.Error(), err
		}
		if live == nil || live.GetUID() != object.GetUID() {
			if kind == Namespace {
				c.forgetNamespace(object.GetName())
			}
			return true, "", nil
		}
		return false, remaining(live), nil
	})
}

// remaining says what keeps an object that is being deleted.
func remaining(live *objects.Object) string {
	var parts []string
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		if kind, _ := condition["type"].(string); strings.HasPrefix(kind, "Namespace") && condition["status"] == "True" {
			message, _ := condition["message"].(string)
			parts = append(parts, message)
		}
	}
	if finalizers := live.GetFinalizers(); len(finalizers) > 0 {
		parts = append(parts, "finalizers "+strings.Join(finalizers, ", "))
	}
	if len(parts) == 0 {
		return objects.Ref(live) + " is still there"
	}
	return strings.Join(parts, "; ")
}

func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
