// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"strconv"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// The keys of a ResourceQuota.
const (
	requestsPrefix   = "requests."
	limitsPrefix     = "limits."
	storageKey       = "requests.storage"
	claimsKey        = "persistentvolumeclaims"
	storageClassMark = ".storageclass.storage.k8s.io/"
)

func teamQuota(t spec.Team, o Owner) []*Object {
	q := t.Quota
	if q.Empty() {
		return nil
	}
	hard := make(map[string]any, len(q.Requests)+len(q.Limits)+len(q.Objects)+2)
	for name, amount := range q.Requests {
		hard[requestsPrefix+name] = amount
	}
	for name, amount := range q.Limits {
		hard[limitsPrefix+name] = amount
	}
	for name, count := range q.Objects {
		hard[name] = strconv.FormatInt(count, 10)
	}
	putStorage(hard, "", q.Storage.StorageAmount)
	for class, amount := range q.Storage.Classes {
		putStorage(hard, class+storageClassMark, amount)
	}
	quota := teamObject("v1", "ResourceQuota", QuotaName, t, o)
	quota.Object["spec"] = map[string]any{"hard": hard}
	return []*Object{quota}
}

func putStorage(hard map[string]any, prefix string, amount spec.StorageAmount) {
	if amount.Total != "" {
		hard[prefix+storageKey] = amount.Total
	}
	if amount.Claims != nil {
		hard[prefix+claimsKey] = strconv.FormatInt(*amount.Claims, 10)
	}
}

func quotaInto(t *spec.Team, quota *Object) {
	if quota == nil {
		return
	}
	q := &t.Quota
	for key, amount := range textMap(quota.Object, "spec", "hard") {
		class, kind, ofClass := strings.Cut(key, storageClassMark)
		requested, isRequest := strings.CutPrefix(key, requestsPrefix)
		limited, isLimit := strings.CutPrefix(key, limitsPrefix)
		switch {
		case ofClass:
			bound := q.Storage.Classes[class]
			storageInto(&bound, kind, amount)
			put(&q.Storage.Classes, class, bound)
		case key == storageKey || key == claimsKey:
			storageInto(&q.Storage.StorageAmount, key, amount)
		case isRequest && spec.IsRequested(requested):
			put(&q.Requests, requested, amount)
		case isLimit && spec.IsLimited(limited):
			put(&q.Limits, limited, amount)
		case spec.IsCountedObject(key):
			if count, ok := wholeNumber(amount); ok {
				put(&q.Objects, key, count)
			}
		}
	}
}

func storageInto(bound *spec.StorageAmount, key, amount string) {
	switch key {
	case storageKey:
		bound.Total = amount
	case claimsKey:
		if count, ok := wholeNumber(amount); ok {
			bound.Claims = &count
		}
	}
}

// put sets a key of a map that may not exist yet.
func put[M ~map[K]V, K comparable, V any](m *M, key K, value V) {
	if *m == nil {
		*m = M{}
	}
	(*m)[key] = value
}

// wholeNumber reads a count, which the API server may write as 1k.
func wholeNumber(text string) (int64, bool) {
	if count, err := strconv.ParseInt(text, 10, 64); err == nil {
		return count, true
	}
	quantity, err := spec.ParseQuantity(text)
	return quantity.Value(), err == nil
}
