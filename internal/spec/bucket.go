// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

// Bucket is one bucket of an S3 server. What is left out (an empty text, nil) is left alone;
// a list that is there and empty says that the bucket has none.
type Bucket struct {
	Name string
	// Versioning is one of VersioningStates; a bucket that had it once can suspend it and never
	// be without it again.
	Versioning string
	// ObjectLock keeps objects from being deleted; most servers take it only when a bucket is
	// created.
	ObjectLock *ObjectLock
	Lifecycle  []LifecycleRule
	// QuotaBytes is the most that the bucket may hold, as a quantity of bytes: 500Gi, 2Ti.
	QuotaBytes string
	CORS       []CORSRule
	// Policy is the bucket's policy as JSON, in the language of S3; compared by what it means.
	Policy string
}

// ObjectLock is how long a new object cannot be deleted or overwritten, where its writer does
// not say so itself. Without mode and days there is no such default.
type ObjectLock struct {
	// Mode is one of RetentionModes: whoever has the right to may lift "governance", nobody
	// "compliance".
	Mode string
	Days int
}

// LifecycleRule says what becomes of objects as they age. Every number is one of days, 0 where
// the rule does not do it.
type LifecycleRule struct {
	ID string
	// Prefix begins the keys of the objects that the rule is for; "" is every object.
	Prefix          string
	ExpireAfterDays int
	// ArchiveAfterDays is when objects move to the storage class ArchiveClass: on AWS one of its
	// classes, on MinIO the name of a remote tier.
	ArchiveAfterDays int
	ArchiveClass     string
	// ExpireNoncurrentAfterDays counts from when another version took the place of this one.
	ExpireNoncurrentAfterDays int
	// AbortUploadsAfterDays ends multipart uploads that nobody completed.
	AbortUploadsAfterDays int
}

// CORSRule lets browsers that show pages of other origins use the bucket.
type CORSRule struct {
	Origins, Methods, Headers, ExposeHeaders []string
	// MaxAgeSeconds is how long a browser may keep the answer; 0 leaves it to the browser.
	MaxAgeSeconds int
}

// What buckets choose from.
var (
	VersioningStates = []string{"enabled", "suspended"}
	RetentionModes   = []string{"governance", "compliance"}
	CORSMethods      = []string{"GET", "PUT", "POST", "DELETE", "HEAD"}
)

// Limits of Amazon S3; other servers take as much or more.
const (
	maxRetentionDays  = 36500 // a hundred years
	maxLifecycleRules = 1000
	maxRuleID         = 255  // characters
	maxKeyBytes       = 1024 // of an object's key, and so of a prefix
	maxCORSRules      = 100
	maxPolicyBytes    = 20480
)
