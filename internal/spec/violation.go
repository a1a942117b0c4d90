// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"strings"
)

// Path leads from the root of a specification to one value. A step is an attribute
// (string), a key of a map (Key) or an index of a list (int).
type Path []any

// Key is the key of a map within a Path.
type Key string

// At returns the path one or more steps further, never sharing memory with p.
func (p Path) At(steps ...any) Path {
	next := make(Path, 0, len(p)+len(steps))
	return append(append(next, p...), steps...)
}

// String writes the path as Terraform writes it: quota.requests["nvidia.com/gpu"].
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case Key:
			fmt.Fprintf(&b, "[%q]", string(s))
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, s)
		}
	}
	return b.String()
}

// Violation is one value that cannot be accepted: where it stands, what is wrong
// with it, and what would be right.
type Violation struct {
	Path    Path
	Problem string
	Remedy  string
}

func (v Violation) Error() string {
	return fmt.Sprintf("%s: %s. %s", v.Path, v.Problem, v.Remedy)
}

// Violations gathers what a Validate finds; the zero value is ready.
type Violations []Violation

// Add records that the value at path is wrong, and what would be right.
func (v *Violations) Add(path Path, remedy, problem string, args ...any) {
	*v = append(*v, Violation{Path: path, Problem: fmt.Sprintf(problem, args...), Remedy: remedy})
}
