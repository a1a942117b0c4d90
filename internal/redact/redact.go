// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package redact takes secret values out of what people and logs get to see.
package redact

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// Hidden stands where a secret stood.
const Hidden = "(sensitive)"

// shortest is the length from which a secret is also looked for within longer text. Shorter
// ones ("1", "on") stand in too much that is not secret, and are hidden where they stand alone.
const shortest = 4

// Masker hides a set of secrets. The zero value hides nothing.
type Masker struct {
	exact  map[string]bool
	within *strings.Replacer
	texts  []string
}

// Of gathers every string and number within values as a secret.
func Of(values ...any) Masker {
	m := Masker{exact: map[string]bool{}}
	for _, value := range values {
		m.gather(value)
	}
	for text := range m.exact {
		if len(text) >= shortest {
			m.texts = append(m.texts, text, base64.StdEncoding.EncodeToString([]byte(text)))
		}
	}
	slices.SortFunc(m.texts, func(a, b string) int { return len(b) - len(a) }) // the longest first: one may hold another
	pairs := make([]string, 0, 2*len(m.texts))
	for _, text := range m.texts {
		pairs = append(pairs, text, Hidden)
	}
	m.within = strings.NewReplacer(pairs...)
	return m
}

func (m Masker) gather(value any) {
	switch v := value.(type) {
	case nil, bool:
	case map[string]any:
		for _, below := range v {
			m.gather(below)
		}
	case []any:
		for _, below := range v {
			m.gather(below)
		}
	case string:
		m.add(v)
	default:
		m.add(fmt.Sprint(v))
	}
}

// add takes a secret and each of its lines: YAML and error texts break them apart.
func (m Masker) add(text string) {
	for _, line := range append(strings.Split(text, "\n"), text) {
		if line = strings.TrimSpace(line); line != "" {
			m.exact[line] = true
		}
	}
}

// Text hides the secrets in a text.
func (m Masker) Text(text string) string {
	if m.exact[strings.TrimSpace(text)] {
		return Hidden
	}
	if m.within == nil {
		return text
	}
	return m.within.Replace(text)
}

// Texts are the secrets that are looked for within text, for loggers that mask by themselves.
func (m Masker) Texts() []string { return m.texts }

// Error hides the secrets in an error's text and keeps what it unwraps to.
func (m Masker) Error(err error) error {
	if err == nil || m.Text(err.Error()) == err.Error() {
		return err
	}
	return masked{text: m.Text(err.Error()), cause: err}
}

type masked struct {
	text  string
	cause error
}

func (e masked) Error() string { return e.text }
func (e masked) Unwrap() error { return e.cause }

// Value returns a copy of a value with its secrets hidden.
func (m Masker) Value(value any) any {
	switch v := value.(type) {
	case string:
		return m.Text(v)
	case map[string]any:
		hidden := make(map[string]any, len(v))
		for key, below := range v {
			hidden[key] = m.Value(below)
		}
		return hidden
	case []any:
		hidden := make([]any, len(v))
		for i, below := range v {
			hidden[i] = m.Value(below)
		}
		return hidden
	case nil, bool:
		return v
	}
	if m.exact[fmt.Sprint(value)] {
		return Hidden
	}
	return value
}
