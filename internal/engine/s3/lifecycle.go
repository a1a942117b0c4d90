// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/minio/minio-go/v7/pkg/lifecycle"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// lifecycleXML is a bucket's lifecycle as servers write it. Unlike the client's own type it
// keeps every element, so that no rule that was edited by hand looks like ours.
type lifecycleXML struct {
	Rules []ruleXML `xml:"Rule"`
}

type ruleXML struct {
	ID     string
	Status string
	Prefix string // of rules in the first form that S3 had
	Filter struct {
		Prefix string
		And    *andXML
		Others []element `xml:",any"`
	}
	Expiration           []actionXML
	Transition           []actionXML
	NoncurrentExpiration []actionXML `xml:"NoncurrentVersionExpiration"`
	Abort                []actionXML `xml:"AbortIncompleteMultipartUpload"`
	Others               []element   `xml:",any"`
}

type andXML struct {
	Prefix string
	Others []element `xml:",any"`
}

// actionXML is one thing that a rule does; which of the numbers there is depends on what it is.
type actionXML struct {
	Days, NoncurrentDays, DaysAfterInitiation int
	StorageClass                              string
	Others                                    []element `xml:",any"`
}

type element struct {
	XMLName xml.Name
	Text    string `xml:",innerxml"`
}

// parseLifecycle reads rules. What a rule has beyond ours stands in Else, in words.
func parseLifecycle(text []byte) ([]Rule, error) {
	var parsed lifecycleXML
	if err := xml.Unmarshal(text, &parsed); err != nil {
		return nil, fmt.Errorf("the lifecycle rules are no XML of S3: %w", err)
	}
	rules := make([]Rule, 0, len(parsed.Rules))
	for _, rule := range parsed.Rules {
		rules = append(rules, rule.read())
	}
	return rules, nil
}

func (r ruleXML) read() Rule {
	rule := Rule{LifecycleRule: spec.LifecycleRule{ID: r.ID, Prefix: r.Prefix + r.Filter.Prefix}}
	if r.Status != "Enabled" {
		rule.Else = append(rule.Else, "disabled")
	}
	rule.beyond(r.Filter.Others)
	if r.Filter.And != nil {
		rule.Prefix += r.Filter.And.Prefix
		rule.beyond(r.Filter.And.Others)
	}
	rule.take(r.Expiration, "expire", func(a actionXML) { rule.ExpireAfterDays = a.Days })
	rule.take(r.Transition, "archive", func(a actionXML) { rule.ArchiveAfterDays, rule.ArchiveClass = a.Days, a.StorageClass })
	rule.take(r.NoncurrentExpiration, "expire noncurrent", func(a actionXML) { rule.ExpireNoncurrentAfterDays = a.NoncurrentDays })
	rule.take(r.Abort, "abort uploads", func(a actionXML) { rule.AbortUploadsAfterDays = a.DaysAfterInitiation })
	rule.beyond(r.Others)
	return rule
}

// take reads the one action of a kind that a rule of ours can have.
func (r *Rule) take(actions []actionXML, name string, set func(actionXML)) {
	for i, action := range actions {
		r.beyond(action.Others)
		days := action.Days + action.NoncurrentDays + action.DaysAfterInitiation
		if i == 0 && (days > 0 || action.StorageClass == "") {
			set(action)
			continue
		}
		r.Else = append(r.Else, strings.TrimSpace(fmt.Sprintf("%s after %d days %s", name, days, action.StorageClass)))
	}
}

func (r *Rule) beyond(elements []element) {
	for _, e := range elements {
		text := strings.Join(strings.FieldsFunc(e.Text, func(c rune) bool { return c == '<' || c == '>' || c == '\n' }), " ")
		if strings.EqualFold(text, "false") {
			continue // MinIO writes out what a rule does not do
		}
		r.Else = append(r.Else, strings.TrimSpace(e.XMLName.Local+" "+short(text)))
	}
}

// writeLifecycle is the rules as the client sends them.
func writeLifecycle(rules []spec.LifecycleRule) *lifecycle.Configuration {
	config := lifecycle.NewConfiguration()
	for _, rule := range rules {
		config.Rules = append(config.Rules, lifecycle.Rule{
			ID: rule.ID, Status: "Enabled",
			RuleFilter:                     lifecycle.Filter{Prefix: rule.Prefix},
			Expiration:                     lifecycle.Expiration{Days: lifecycle.ExpirationDays(rule.ExpireAfterDays)},
			Transition:                     lifecycle.Transition{Days: lifecycle.ExpirationDays(rule.ArchiveAfterDays), StorageClass: rule.ArchiveClass},
			NoncurrentVersionExpiration:    lifecycle.NoncurrentVersionExpiration{NoncurrentDays: lifecycle.ExpirationDays(rule.ExpireNoncurrentAfterDays)},
			AbortIncompleteMultipartUpload: lifecycle.AbortIncompleteMultipartUpload{DaysAfterInitiation: lifecycle.ExpirationDays(rule.AbortUploadsAfterDays)},
		})
	}
	return config
}
