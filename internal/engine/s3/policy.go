// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// EqualPolicies says whether two policies mean the same: however they are indented, in whatever
// order their statements, actions, resources and principals stand, with one value as itself or
// as a list of one. Texts that are no policies are equal only to themselves.
func EqualPolicies(a, b string) bool {
	pa, pb := readPolicy(a), readPolicy(b)
	return pa.rest == pb.rest && slices.Equal(pa.statements, pb.statements)
}

// meaning is a policy in the one form that all policies of its meaning have: its statements as
// JSON, in order and each once, and what else it has (version, ID). "" has neither.
type meaning struct {
	rest       string
	statements []string
}

// The version of a policy without one, by Amazon's reference of the policy language.
const oldVersion = "2008-10-17"

func readPolicy(text string) meaning {
	policy, ok := decode(text)
	if !ok {
		return meaning{rest: text}
	}
	if policy["Version"] == nil {
		policy["Version"] = oldVersion
	}
	if policy["Id"] == "" {
		delete(policy, "Id") // MinIO writes it out
	}
	var m meaning
	for _, statement := range list(policy["Statement"]) {
		m.statements = append(m.statements, encode(readStatement(statement)))
	}
	slices.Sort(m.statements)
	m.statements = slices.Compact(m.statements)
	delete(policy, "Statement")
	m.rest = encode(policy)
	return m
}

// decode reads one JSON object. Numbers keep their digits.
func decode(text string) (policy map[string]any, ok bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&policy) != nil || policy == nil {
		return nil, false
	}
	_, err := decoder.Token()
	return policy, errors.Is(err, io.EOF)
}

// encode writes keys in order. It is given what JSON made, which it can always write.
func encode(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSpace(b.String())
}

func readStatement(value any) any {
	statement, ok := value.(map[string]any)
	if !ok {
		return value
	}
	for key, value := range statement {
		switch key {
		case "Action", "NotAction", "Resource", "NotResource":
			statement[key] = set(value)
		case "Principal", "NotPrincipal":
			statement[key] = readPrincipal(value)
		case "Condition":
			statement[key] = readCondition(value)
		case "Sid":
			if value == "" {
				delete(statement, key)
			}
		}
	}
	return statement
}

var accountID = regexp.MustCompile(`^\d{12}$`)

// readPrincipal writes everybody in one way, and accounts as Amazon writes them when asked.
func readPrincipal(value any) any {
	if value == "*" {
		value = map[string]any{"AWS": "*"}
	}
	kinds, ok := value.(map[string]any)
	if !ok {
		return value
	}
	for kind, names := range kinds {
		all := list(names)
		for i, name := range all {
			if text, is := name.(string); is && kind == "AWS" && accountID.MatchString(text) {
				all[i] = "arn:aws:iam::" + text + ":root"
			}
		}
		kinds[kind] = set(all)
	}
	return kinds
}

// readCondition takes values of any kind for their text: true and "true" are one to S3.
func readCondition(value any) any {
	operators, ok := value.(map[string]any)
	if !ok {
		return value
	}
	for operator, value := range operators {
		keys, ok := value.(map[string]any)
		if !ok {
			continue
		}
		for key, values := range keys {
			all := list(values)
			for i, value := range all {
				switch value.(type) {
				case bool, json.Number:
					all[i] = fmt.Sprint(value)
				}
			}
			keys[key] = set(all)
		}
		operators[operator] = keys
	}
	return operators
}

// list is a value that may stand for a list of one.
func list(value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return slices.Clone(v)
	}
	return []any{value}
}

// set is a list in order, each value once.
func set(value any) []any {
	all := list(value)
	slices.SortFunc(all, func(a, b any) int { return strings.Compare(encode(a), encode(b)) })
	return slices.CompactFunc(all, func(a, b any) bool { return encode(a) == encode(b) })
}
