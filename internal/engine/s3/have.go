// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Have is what a bucket is, as the server shows it.
type Have struct {
	Exists bool
	// Server is its host and what it calls itself.
	Server string
	// Owner is the value of the owner's tag; "" where there is none.
	Owner string
	// Versioning is "enabled", "suspended" or "" for a bucket that never had versions.
	Versioning string
	ObjectLock *Lock
	Lifecycle  []Rule
	// QuotaBytes is 0 where there is no quota.
	QuotaBytes int64
	CORS       []spec.CORSRule
	Policy     string
	// Unsupported are features that were read and that the server does not implement.
	Unsupported []Feature
}

// Supports says whether the server has the feature, as far as it was read.
func (h Have) Supports(feature Feature) bool { return !slices.Contains(h.Unsupported, feature) }

// Lock is the object lock of a bucket.
type Lock struct {
	spec.ObjectLock
	// Years is how a default that was not set by us may count.
	Years int
}

// Rule is a lifecycle rule.
type Rule struct {
	spec.LifecycleRule
	// Else is what the rule has beyond what a configuration can say: a filter by tags, a date.
	Else []string
}
