// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Feature is one of the things that a bucket can have, as errors and lines name it.
type Feature string

// Features of a bucket. Existence and Owner come with every bucket that is kept; the others
// where the configuration sets them.
const (
	Existence  Feature = "bucket"
	Owner      Feature = "owner"
	Versioning Feature = "versioning"
	ObjectLock Feature = "object lock"
	Lifecycle  Feature = "lifecycle"
	Quota      Feature = "quota"
	CORS       Feature = "CORS"
	Policy     Feature = "policy"
)

// Settable are the features that a configuration can set, in the order in which they are put
// right: a lock needs versions, and a policy may take our own rights away.
var Settable = []Feature{Versioning, ObjectLock, Lifecycle, Quota, CORS, Policy}

// Want is what a bucket has to be.
type Want struct {
	spec.Bucket
	// Owner is the value of the owner's tag: whoever keeps the bucket, the same in every run.
	Owner string
	// Adopt takes over a bucket that exists and has no owner, or another.
	Adopt bool
	// Kept: an earlier run made or adopted the bucket, so that its tag is put back where it has
	// gone. That of another owner still makes it taken.
	Kept bool
	// Before is what an earlier run set.
	Before Given
}

// Given is a record of the features that an earlier run set. It is how what is wanted no longer
// is told from what others have set.
type Given struct {
	Features []Feature `json:"features,omitempty"`
}

// Given is the record of this want.
func (w Want) Given() (g Given) {
	for _, feature := range Settable {
		if w.sets(feature) {
			g.Features = append(g.Features, feature)
		}
	}
	return g
}

// And is what either of two records says.
func (g Given) And(other Given) (union Given) {
	for _, feature := range Settable {
		if slices.Contains(g.Features, feature) || slices.Contains(other.Features, feature) {
			union.Features = append(union.Features, feature)
		}
	}
	return union
}

// Features are those that have to be read to compare: what is set now, and what was.
func (w Want) Features() []Feature { return w.Given().And(w.Before).Features }

func (w Want) sets(feature Feature) bool {
	switch feature {
	case Versioning:
		return w.Versioning != ""
	case ObjectLock:
		return w.ObjectLock != nil
	case Lifecycle:
		return w.Lifecycle != nil
	case Quota:
		return w.QuotaBytes != ""
	case CORS:
		return w.CORS != nil
	case Policy:
		return w.Policy != ""
	}
	return feature == Existence || feature == Owner
}

// dropped says whether an earlier run set the feature and the configuration no longer does.
func (w Want) dropped(feature Feature) bool {
	return !w.sets(feature) && slices.Contains(w.Before.Features, feature)
}
