// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import "fmt"

// DigestError is an archive that is not the one that was promised. What came was thrown away.
type DigestError struct {
	// From is where the archive came from.
	From string
	// Promised and Got are "sha256:<hex>".
	Promised, Got string
	// Index says that the repository's own index promised it, not the pin of the source.
	Index bool
}

func (e *DigestError) Error() string {
	if e.Index {
		return fmt.Sprintf("the archive from %s has the digest %s, but the repository's index says %s. "+
			"The repository is inconsistent, or something on the way changed the archive. Try again later, or ask its publisher", e.From, e.Got, e.Promised)
	}
	return fmt.Sprintf("the archive from %s has the digest %s, but %s is pinned. "+
		"The same version was published again with other content, or something on the way changed it. "+
		"Compare both; if the new one is right, pin its digest", e.From, e.Got, e.Promised)
}

// pinned refuses every digest but the pinned one; where nothing is pinned it takes any.
func (s Source) pinned(from string) func(got string) error {
	return func(got string) error {
		if s.Digest != "" && got != s.Digest {
			return &DigestError{From: from, Promised: s.Digest, Got: got}
		}
		return nil
	}
}
