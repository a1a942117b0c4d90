// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import "errors"

// Located is an error of which a value of the configuration is the cause, known only once
// something outside was asked: a repository, a chart's templates, a cluster.
type Located struct {
	Path Path
	Err  error
}

func (l *Located) Error() string { return l.Err.Error() }

// Unwrap returns the error itself.
func (l *Located) Unwrap() error { return l.Err }

// At says where the cause of an error stands; nil stays nil, and what is located already
// keeps its place.
func At(path Path, err error) error {
	var located *Located
	if err == nil || errors.As(err, &located) {
		return err
	}
	return &Located{Path: path, Err: err}
}

// PlaceOf returns where the cause of an error stands; nil where nobody knows.
func PlaceOf(err error) Path {
	var located *Located
	if errors.As(err, &located) {
		return located.Path
	}
	return nil
}
