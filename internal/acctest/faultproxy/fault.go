// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"regexp"
	"time"
)

// Kind is a way in which a request goes wrong.
type Kind string

// The kinds of fault.
const (
	TooManyRequests Kind = "429"       // with Retry-After: 1, as API Priority and Fairness answers
	InternalError   Kind = "500"       // with a Status
	Unavailable     Kind = "503"       // a load balancer's page, without a Status
	Unauthorized    Kind = "401"       // as the API server answers an expired token
	Forbidden       Kind = "403"       // as RBAC answers
	NotFoundPage    Kind = "404 page"  // some other server's page: nothing is known about the object
	WrongPage       Kind = "200 page"  // a login page of a proxy in between
	Reset           Kind = "reset"     // the TCP connection is reset without an answer
	Hang            Kind = "hang"      // no answer until the client gives up
	CutBody         Kind = "cut body"  // half of the body that Content-Length announces
	CutChunk        Kind = "cut chunk" // half of a body of unknown length, then the stream breaks
	Slow            Kind = "slow"      // the true answer, after a delay
	QuotaConflict   Kind = "409 quota" // as the API server answers a write that collides on counting itself in a quota
)

// Kinds lists every kind that a read can meet.
var Kinds = []Kind{
	TooManyRequests, InternalError, Unavailable, Unauthorized, Forbidden, NotFoundPage, WrongPage,
	Reset, Hang, CutBody, CutChunk, Slow,
}

// slowness is the delay of Slow: long against an answer of the API server, short against
// the time limits of a client.
const slowness = 500 * time.Millisecond

// Fault says which requests go wrong, and how.
type Fault struct {
	Kind Kind
	// Verb is a verb of Request; empty: any.
	Verb string
	// Path is a regular expression on the URL's path; empty: any.
	Path string
	// From is the first matching request that goes wrong, counted from 1; 0 is 1.
	From int
	// Times is how many go wrong from there on; 0: all.
	Times int
}

// Injected is a fault at work.
type Injected struct {
	fault Fault
	path  *regexp.Regexp
	seen  int
	hits  int
}

func (i *Injected) matches(r Request) bool {
	return (i.fault.Verb == "" || i.fault.Verb == r.Verb) && i.path.MatchString(r.Path)
}

// strikes counts a matching request and says whether it goes wrong.
func (i *Injected) strikes() bool {
	i.seen++
	first := max(i.fault.From, 1)
	if i.seen < first || (i.fault.Times > 0 && i.seen >= first+i.fault.Times) {
		return false
	}
	i.hits++
	return true
}
