// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"fmt"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Between says what has to be done to a bucket, in the order in which it is done. It compares
// only what is wanted and what an earlier run set, and takes what means the same for the same.
func Between(want Want, have Have) []Change {
	c := comparison{want: want, have: have}
	if !have.Exists {
		c.add(Existence, "", "", "")
	}
	if want.Owner != "" && have.Supports(Owner) && have.Owner != want.Owner {
		c.add(Owner, string(Owner), quoted(have.Owner), quoted(want.Owner))
	}
	for _, feature := range want.Features() {
		if !have.Supports(feature) {
			if want.sets(feature) {
				c.add(feature, string(feature), "unsupported", "as configured")
			}
			continue
		}
		c.compare(feature)
	}
	return c.changes
}

type comparison struct {
	want    Want
	have    Have
	changes []Change
}

func (c *comparison) add(feature Feature, what, from, to string) {
	c.changes = append(c.changes, Change{Bucket: c.want.Name, Feature: feature, What: what, From: from, To: to})
}

// differ adds a change where two texts that stand for all that matters are not the same.
func (c *comparison) differ(feature Feature, what, from, to string) {
	if from != to {
		c.add(feature, what, from, to)
	}
}

func (c *comparison) compare(feature Feature) {
	switch feature {
	case Versioning:
		c.versioning()
	case ObjectLock:
		c.objectLock()
	case Lifecycle:
		c.lifecycle()
	case Quota:
		want, _ := c.want.quota()
		c.differ(Quota, string(Quota), bytesText(c.have.QuotaBytes), bytesText(want))
	case CORS:
		c.cors()
	case Policy:
		c.policy()
	}
}

// versioning that is wanted no longer is suspended: S3 has no way back to a bucket that never
// had it, and none at all while objects are locked.
func (c *comparison) versioning() {
	want := c.want.Versioning
	if c.want.dropped(Versioning) {
		if c.have.Versioning != "enabled" || c.have.ObjectLock != nil {
			return
		}
		want = "suspended"
	}
	c.differ(Versioning, string(Versioning), orNone(c.have.Versioning), want)
}

// objectLock that is wanted no longer loses its default: the lock itself stays for good.
func (c *comparison) objectLock() {
	want := &Lock{}
	switch {
	case c.want.ObjectLock != nil:
		want.ObjectLock = *c.want.ObjectLock
	case c.have.ObjectLock == nil:
		return
	}
	c.differ(ObjectLock, string(ObjectLock), c.have.ObjectLock.text(), want.text())
}

func (c *comparison) lifecycle() {
	have := slices.Clone(c.have.Lifecycle)
	take := func(id string) *Rule {
		at := slices.IndexFunc(have, func(r Rule) bool { return r.ID == id })
		if at < 0 {
			return nil
		}
		rule := have[at]
		have = slices.Delete(have, at, at+1)
		return &rule
	}
	for _, rule := range c.want.Lifecycle {
		name, want, stands := fmt.Sprintf("lifecycle rule %q", rule.ID), Rule{LifecycleRule: rule}, take(rule.ID)
		if stands == nil {
			c.add(Lifecycle, name, none, want.text())
			continue
		}
		from := stands.parts()
		for i, to := range want.parts() {
			c.differ(Lifecycle, name+": "+to.name, from[i].text, to.text)
		}
	}
	for _, rule := range have {
		c.add(Lifecycle, fmt.Sprintf("lifecycle rule %q", rule.ID), rule.text(), none)
	}
}

// cors compares rules in their order: of several that fit a request, the first one counts.
func (c *comparison) cors() {
	at := func(rules []spec.CORSRule, i int) string {
		if i >= len(rules) {
			return none
		}
		return corsText(rules[i])
	}
	for i := range max(len(c.want.CORS), len(c.have.CORS)) {
		c.differ(CORS, fmt.Sprintf("CORS rule %d", i+1), at(c.have.CORS, i), at(c.want.CORS, i))
	}
}

func (c *comparison) policy() {
	have, want := readPolicy(c.have.Policy), readPolicy(c.want.Policy)
	c.differ(Policy, "policy", orNone(have.rest), orNone(want.rest))
	for _, statement := range have.statements {
		if !slices.Contains(want.statements, statement) {
			c.add(Policy, "policy statement", statement, none)
		}
	}
	for _, statement := range want.statements {
		if !slices.Contains(have.statements, statement) {
			c.add(Policy, "policy statement", none, statement)
		}
	}
}

// quota is the wanted one in bytes; 0 is none.
func (w Want) quota() (int64, error) {
	if w.QuotaBytes == "" {
		return 0, nil
	}
	quantity, err := spec.ParseQuantity(w.QuotaBytes)
	if err != nil {
		return 0, err
	}
	return quantity.Value(), nil
}
