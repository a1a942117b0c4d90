// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"errors"
	"fmt"
)

// TakenError says that a bucket of that name stands and is not ours.
type TakenError struct {
	Bucket, Server string
	// Owner is the value of the owner's tag, "" where there is none.
	Owner string
}

func (e *TakenError) Error() string {
	if e.Owner == "" {
		return fmt.Sprintf("the bucket %q exists at %s, and nothing says that it is Trainyard's. Choose another name, or adopt it if it is yours: an interrupted run of your own may have made it",
			e.Bucket, e.Server)
	}
	return fmt.Sprintf("the bucket %q at %s belongs to %q (tag %s). Choose another name; adopt it only once its owner has let it go", e.Bucket, e.Server, e.Owner, ownerTag)
}

// UnsupportedError says that a server does not implement what is wanted of it.
type UnsupportedError struct {
	Bucket, Server string
	Feature        Feature
	// Cause is the server's own word on what it was given, where it has the feature and not all
	// of it; nil where it lacks the feature.
	Cause error
}

func (e *UnsupportedError) Error() string {
	if e.Feature == Quota {
		return fmt.Sprintf("the bucket %q cannot have a quota: it is no part of S3, and %s has none that Trainyard knows (MinIO's is known). Leave it out, or set it with the server's own tools", e.Bucket, e.Server)
	}
	if e.Cause != nil {
		return fmt.Sprintf("the bucket %q cannot have %s as configured: %v. Leave out what the server does not implement, or use another server", e.Bucket, e.Feature, e.Cause)
	}
	return fmt.Sprintf("the bucket %q cannot have %s: %s does not implement it. Leave it out, or use another server", e.Bucket, e.Feature, e.Server)
}

// Unwrap returns the server's own word.
func (e *UnsupportedError) Unwrap() error { return e.Cause }

// Refuse says why a bucket cannot become what is wanted, before anything is changed; nil where
// nothing stands against it.
func (w Want) Refuse(have Have) error {
	var problems []error
	if have.Exists && !w.Adopt && have.Owner != w.Owner && (have.Owner != "" || !w.Kept) {
		problems = append(problems, &TakenError{Bucket: w.Name, Server: have.Server, Owner: have.Owner})
	}
	for _, feature := range Settable {
		if w.sets(feature) && !have.Supports(feature) {
			problems = append(problems, &UnsupportedError{Bucket: w.Name, Server: have.Server, Feature: feature})
		}
	}
	if have.Exists && w.ObjectLock != nil && have.ObjectLock == nil && have.Supports(ObjectLock) {
		problems = append(problems, fmt.Errorf("the bucket %q exists without object lock, and most servers take it only when a bucket is created. "+
			"Make a bucket of another name with it and copy the objects there, or leave it out", w.Name))
	}
	if have.ObjectLock != nil && w.Versioning == "suspended" {
		problems = append(problems, fmt.Errorf("the versioning of the bucket %q cannot be suspended: it has object lock, which keeps versions. Set it to \"enabled\"", w.Name))
	}
	if _, err := w.quota(); err != nil {
		problems = append(problems, fmt.Errorf("the quota of the bucket %q: %w", w.Name, err))
	}
	return errors.Join(problems...)
}
