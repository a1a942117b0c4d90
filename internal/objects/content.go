// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// anys returns a list of an object's content.
func anys[T any](items []T) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = item
	}
	return list
}

// content returns a map of an object's content.
func content[T any](items map[string]T) map[string]any {
	object := make(map[string]any, len(items))
	for key, item := range items {
		object[key] = item
	}
	return object
}

// setMap puts items under key, where there are any.
func setMap(object map[string]any, key string, items map[string]string) {
	if len(items) > 0 {
		object[key] = content(items)
	}
}

// nested reads a value of any type below o; the zero value stands for absent or for
// another type.
func nested[T any](object map[string]any, path ...string) T {
	value, _, _ := unstructured.NestedFieldNoCopy(object, path...)
	typed, _ := value.(T)
	return typed
}

// children reads a list of objects, leaving out what is not one.
func children(object map[string]any, path ...string) []map[string]any {
	list := nested[[]any](object, path...)
	items := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if child, ok := item.(map[string]any); ok {
			items = append(items, child)
		}
	}
	return items
}

// texts reads a list of strings, nil where it is empty.
func texts(object map[string]any, path ...string) []string {
	var items []string
	for _, item := range nested[[]any](object, path...) {
		if text, ok := item.(string); ok {
			items = append(items, text)
		}
	}
	return items
}

// textMap reads a map of strings, nil where it is empty. Numbers, as a quantity may be
// written, are left out.
func textMap(object map[string]any, path ...string) map[string]string {
	var items map[string]string
	for key, item := range nested[map[string]any](object, path...) {
		if text, ok := item.(string); ok {
			if items == nil {
				items = map[string]string{}
			}
			items[key] = text
		}
	}
	return items
}
