// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"net/http"
	"strings"
)

// Request is one request as Kubernetes sees it.
type Request struct {
	// Verb is get, list, create, update, patch, apply (server-side), delete; rehearse, where
	// nothing is written (dryRun); or for a path that is no resource the HTTP method in lower case.
	Verb string
	// Resource is the plural with a subresource (queues, pods/log), or the path that is none.
	Resource        string
	Namespace, Name string
	Path            string
}

// String writes what counts are kept by: list queues.
func (r Request) String() string { return r.Verb + " " + r.Resource }

// parse reads /api/v1/namespaces/NS/RESOURCE/NAME/SUB and its shorter and longer forms.
func parse(request *http.Request) Request {
	r := Request{Path: request.URL.Path}
	parts := strings.Split(strings.Trim(r.Path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		r.Verb, r.Resource = strings.ToLower(request.Method), r.Path
		return r
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		r.Namespace, parts = parts[1], parts[2:]
	}
	r.Resource = parts[0]
	if len(parts) > 1 {
		r.Name = parts[1]
	}
	if len(parts) > 2 {
		r.Resource += "/" + parts[2]
	}
	r.Verb = verb(request, r.Name)
	return r
}

func verb(request *http.Request, name string) string {
	if request.URL.Query().Has("dryRun") {
		return "rehearse"
	}
	switch request.Method {
	case http.MethodGet:
		if name == "" {
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		if strings.HasPrefix(request.Header.Get("Content-Type"), "application/apply-patch") {
			return "apply"
		}
		return "patch"
	}
	return strings.ToLower(request.Method)
}
