// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestPoliciesThatMeanTheSame(t *testing.T) {
	const base = `{"Version":"2012-10-17","Statement":[` +
		`{"Sid":"a","Effect":"Allow","Principal":{"AWS":["arn:aws:iam::123456789012:root","arn:aws:iam::123456789012:user/b"]},"Action":["s3:GetObject","s3:PutObject"],"Resource":"arn:aws:s3:::d/*"},` +
		`{"Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"arn:aws:s3:::d/*","Condition":{"Bool":{"aws:SecureTransport":"false"},"NumericLessThan":{"s3:max-keys":"10"}}}]}`
	for name, other := range map[string]string{
		"indented, keys in another order": `{
			"Statement": [
				{"Action": ["s3:GetObject", "s3:PutObject"], "Sid": "a", "Effect": "Allow", "Resource": "arn:aws:s3:::d/*",
				 "Principal": {"AWS": ["arn:aws:iam::123456789012:root", "arn:aws:iam::123456789012:user/b"]}},
				{"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "arn:aws:s3:::d/*",
				 "Condition": {"NumericLessThan": {"s3:max-keys": "10"}, "Bool": {"aws:SecureTransport": "false"}}}
			],
			"Version": "2012-10-17" }`,
		"one as a list, lists in another order": `{"Version":"2012-10-17","Statement":[` +
			`{"Effect":"Deny","Principal":{"AWS":["*"]},"Action":["s3:*"],"Resource":["arn:aws:s3:::d/*"],"Condition":{"Bool":{"aws:SecureTransport":[false]},"NumericLessThan":{"s3:max-keys":10}}},` +
			`{"Sid":"a","Effect":"Allow","Principal":{"AWS":["arn:aws:iam::123456789012:user/b","123456789012"]},"Action":["s3:PutObject","s3:GetObject","s3:PutObject"],"Resource":["arn:aws:s3:::d/*"]}]}`,
		"empty IDs": `{"Id":"","Version":"2012-10-17","Statement":[` +
			`{"Sid":"a","Effect":"Allow","Principal":{"AWS":["arn:aws:iam::123456789012:root","arn:aws:iam::123456789012:user/b"]},"Action":["s3:GetObject","s3:PutObject"],"Resource":"arn:aws:s3:::d/*"},` +
			`{"Sid":"","Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"arn:aws:s3:::d/*","Condition":{"Bool":{"aws:SecureTransport":"false"},"NumericLessThan":{"s3:max-keys":"10"}}}]}`,
	} {
		if !EqualPolicies(base, other) || !EqualPolicies(other, base) {
			t.Errorf("%s: taken for another\n%+v\n%+v", name, readPolicy(base), readPolicy(other))
		}
	}
	if !EqualPolicies(`{"Version":"2012-10-17","Statement":{"Effect":"Deny"}}`, `{"Version":"2012-10-17","Statement":[{"Effect":"Deny"}]}`) {
		t.Error("one statement as itself is not the list of it")
	}
	if !EqualPolicies(`{"Statement":[]}`, `{"Version":"2008-10-17"}`) {
		t.Error("the version that Amazon takes where there is none is another")
	}
}

func TestPoliciesThatDiffer(t *testing.T) {
	const base = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::d/*"}]}`
	for name, other := range map[string]string{
		"nothing":                       "",
		"no JSON":                       `{"Version":`,
		"two values":                    base + base,
		"another effect":                `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::d/*"}]}`,
		"another version":               `{"Version":"2008-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::d/*"}]}`,
		"an action more":                `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":["s3:GetObject","s3:PutObject"],"Resource":"arn:aws:s3:::d/*"}]}`,
		"not the action":                `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","NotAction":"s3:GetObject","Resource":"arn:aws:s3:::d/*"}]}`,
		"another principal":             `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Federated":"*"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::d/*"}]}`,
		"a condition":                   `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::d/*","Condition":{"Bool":{"aws:SecureTransport":"true"}}}]}`,
		"a statement more":              `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::d/*"},{"Effect":"Deny"}]}`,
		"a key nobody knows":            `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::d/*","Note":"x"}]}`,
		"a resource in capital letters": `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::D/*"}]}`,
	} {
		if EqualPolicies(base, other) || EqualPolicies(other, base) {
			t.Errorf("%s: taken for the same", name)
		}
	}
}

// FuzzEqualPolicies looks at what holds for every pair of texts.
func FuzzEqualPolicies(f *testing.F) {
	f.Add(readers, `{"Statement":{"Effect":"Allow","Principal":"*","Condition":{"Bool":{"a":true}}}}`)
	f.Add(`{"Statement":[1,"a",null,[[]],{"Action":{"x":[]},"Principal":7,"Condition":[1]}]}`, `{"Statement":{"Principal":{"AWS":["123456789012",3]}}}`)
	f.Add(`null`, ` {"Id":"","Version":null,"Statement":{}} `)
	f.Add("{}\f", " 0") // which are no policies: JSON knows no form feed, and a number is no object
	f.Fuzz(func(t *testing.T, a, b string) {
		if !EqualPolicies(a, a) {
			t.Errorf("%q is not itself", a)
		}
		if EqualPolicies(a, b) != EqualPolicies(b, a) {
			t.Errorf("%q and %q are the same only one way round", a, b)
		}
		var indented bytes.Buffer
		if _, policy := decode(a); policy && json.Indent(&indented, []byte(a), "", "\t") == nil && !EqualPolicies(a, indented.String()) {
			t.Errorf("%q is another once it is indented", a)
		}
		// The one form of a meaning has that meaning.
		m := readPolicy(a)
		var whole map[string]any
		if json.Unmarshal([]byte(m.rest), &whole) != nil || whole == nil {
			return
		}
		statements := []json.RawMessage{}
		for _, statement := range m.statements {
			statements = append(statements, json.RawMessage(statement))
		}
		rest := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(m.rest), &rest); err != nil {
			t.Fatal(err)
		}
		rest["Statement"] = json.RawMessage(encode(statements))
		if again := encode(rest); !EqualPolicies(a, again) {
			t.Errorf("%q is not what it was read as: %q", a, again)
		}
	})
}
