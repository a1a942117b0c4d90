// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
)

// ValidateBuckets checks buckets, by the key under which the configuration has them, and
// against each other. Paths begin with the key.
func ValidateBuckets(buckets map[string]Bucket) (v Violations) {
	byName := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(buckets)) {
		bucket, at := buckets[key], Path{Key(key)}
		bucket.check(&v, at)
		if first, taken := byName[bucket.Name]; taken {
			v.Add(at.At("name"), "Give each bucket a name of its own", "the bucket %q has this name too", first)
			continue
		}
		byName[bucket.Name] = key
	}
	return v
}

func (b Bucket) check(v *Violations, at Path) {
	checkBucketName(v, at.At("name"), b.Name)
	oneOf(v, at.At("versioning"), b.Versioning, VersioningStates)
	b.checkObjectLock(v, at.At("object_lock"))
	checkLifecycle(v, at.At("lifecycle"), b.Lifecycle)
	checkQuotaBytes(v, at.At("quota"), b.QuotaBytes)
	checkCORS(v, at.At("cors"), b.CORS)
	checkPolicy(v, at.At("policy"), b.Policy)
}

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	// What Amazon S3 keeps for itself; other servers may take them, and moving there would not.
	reservedStarts = []string{"xn--", "sthree-", "amzn-s3-demo-"}
	reservedEnds   = []string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"}
)

func checkBucketName(v *Violations, at Path, name string) {
	has := func(fits func(string, string) bool) func(string) bool {
		return func(part string) bool { return fits(name, part) }
	}
	switch {
	case !bucketName.MatchString(name), strings.Contains(name, ".."), strings.Contains(name, ".-"), strings.Contains(name, "-."):
		v.Add(at, `Use 3 to 63 lower-case letters, digits, "-" and ".", with a letter or digit at both ends of every part, such as "datasets"`,
			"%q is not the name of a bucket", name)
	case net.ParseIP(name) != nil:
		v.Add(at, `Use a name such as "datasets"`, "%q is an IP address", name)
	case slices.ContainsFunc(reservedStarts, has(strings.HasPrefix)), slices.ContainsFunc(reservedEnds, has(strings.HasSuffix)):
		v.Add(at, `Use a name such as "datasets"`, "%q begins or ends as only Amazon's own buckets do", name)
	}
}

func (b Bucket) checkObjectLock(v *Violations, at Path) {
	if b.ObjectLock == nil {
		return
	}
	if b.Versioning != "enabled" {
		v.Add(at, `Set versioning = "enabled"`, "object lock keeps versions, and the bucket does not make them")
	}
	mode, days := b.ObjectLock.Mode, b.ObjectLock.Days
	oneOf(v, at.At("mode"), mode, RetentionModes)
	switch {
	case mode == "" && days == 0:
	case mode == "":
		v.Add(at.At("mode"), "Use one of "+strings.Join(RetentionModes, ", "), "the days have no mode")
	case days < 1 || days > maxRetentionDays:
		v.Add(at.At("days"), fmt.Sprintf("Give 1 to %d", maxRetentionDays), "%d is not a number of days to keep objects", days)
	}
}

func checkQuotaBytes(v *Violations, at Path, text string) {
	if text == "" {
		return
	}
	quantity, err := ParseQuantity(text)
	switch {
	case err != nil:
		v.Add(at, `Write bytes with an optional suffix, such as "500Gi" or "2Ti"`, "%s", err)
	case quantity.Sign() == 0:
		v.Add(at, "Give more, or leave it out for a bucket without a limit", "a bucket of 0 bytes holds nothing, and servers take 0 for no limit")
	case !isWhole(text):
		v.Add(at, `Write bytes with an optional suffix, such as "500Gi" or "2Ti"`, "%q is not a whole number of bytes", text)
	}
}

func isWhole(text string) bool {
	quantity, err := ParseQuantity(text)
	if err != nil {
		return false
	}
	rounded := quantity.DeepCopy()
	rounded.RoundUp(0)
	return rounded.Cmp(quantity) == 0
}

// checkPolicy looks at the form alone: what a policy may say differs from server to server.
func checkPolicy(v *Violations, at Path, text string) {
	if text == "" {
		return
	}
	var policy struct{ Statement json.RawMessage }
	switch err := json.Unmarshal([]byte(text), &policy); {
	case err != nil:
		v.Add(at, "Write one JSON object, best with jsonencode", "the policy is not a JSON object: %s", err)
	case len(policy.Statement) == 0 || slices.Contains([]string{"null", "[]", "{}"}, string(policy.Statement)):
		v.Add(at, `Add "Statement", or leave the policy out`, "the policy has no statement")
	case len(text) > maxPolicyBytes:
		v.Add(at, fmt.Sprintf("Keep it to %d bytes", maxPolicyBytes), "the policy has %d bytes", len(text))
	}
}
