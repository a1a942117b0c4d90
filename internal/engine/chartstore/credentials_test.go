// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"net/http"
	"strings"
	"testing"
)

var canary = &Credentials{Username: "canary-user", Password: "canary-password"}

func wantAuthorization(t testing.TB, site *site, path string, want bool) {
	t.Helper()
	if site.count(path) == 0 {
		t.Errorf("%s was not asked for", path)
	}
	if got := site.authorization(path) != ""; got != want {
		t.Errorf("credentials came with %s: %t, want %t", path, got, want)
	}
}

func TestCredentialsGoToTheirHostOnly(t *testing.T) {
	archive := archiveOf(t, "queue", "1.2.0", "one")
	t.Run("the host itself", func(t *testing.T) {
		site := newSite(t)
		source := site.publish(archive, "queue-1.2.0.tgz", "")
		source.Credentials = canary
		mustFind(t, newStore(t, ""), source)
		wantAuthorization(t, site, "/stable/index.yaml", true)
		wantAuthorization(t, site, "/stable/queue-1.2.0.tgz", true)
	})
	t.Run("an archive on another host", func(t *testing.T) {
		site, other := newSite(t), newSite(t)
		other.put("/elsewhere.tgz", archive)
		source := site.publish(nil, other.URL+"/elsewhere.tgz", "")
		source.Credentials = canary
		mustFind(t, newStore(t, ""), source)
		wantAuthorization(t, site, "/stable/index.yaml", true)
		wantAuthorization(t, other, "/elsewhere.tgz", false)
	})
	for _, path := range []string{"/stable/index.yaml", "/stable/queue-1.2.0.tgz"} {
		t.Run("a redirect of "+path, func(t *testing.T) {
			site, other := newSite(t), newSite(t) // two ports of one address, which net/http takes for one host
			source := site.publish(archive, "queue-1.2.0.tgz", "")
			other.files = site.files
			site.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if r.URL.Path == path {
					http.Redirect(w, r, other.URL+path, http.StatusFound)
				}
				return r.URL.Path == path
			}
			source.Credentials = canary
			mustFind(t, newStore(t, ""), source)
			wantAuthorization(t, site, path, true)
			wantAuthorization(t, other, path, false)
		})
	}
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	t.Run("credentials", func(t *testing.T) {
		site := newSite(t)
		site.fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		source := Source{Repository: site.URL, Name: "queue", Version: "1.2.0", Credentials: canary}
		_, err := newStore(t, "").Find(t.Context(), source)
		wantError(t, err, "The credentials were not accepted")
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("secret in %q", err)
		}
		source.Credentials = nil
		_, err = newStore(t, "").Find(t.Context(), source)
		wantError(t, err, "Credentials are needed")
	})
	t.Run("a signed redirect", func(t *testing.T) {
		site := newSite(t)
		site.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.Path == "/index.yaml" {
				http.Redirect(w, r, "/signed?signature=canary", http.StatusFound)
			} else {
				hijacked(w, "")
			}
			return true
		}
		_, err := newStore(t, "").Find(t.Context(), Source{Repository: site.URL, Name: "queue", Version: "1.2.0"})
		wantError(t, err, "EOF")
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("secret in %q", err)
		}
	})
}

func TestRedirectToPlainHTTPIsRefused(t *testing.T) {
	site := newSite(t)
	site.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		http.Redirect(w, r, "http://charts.example.com/index.yaml", http.StatusFound)
		return true
	}
	_, err := newStore(t, "").Find(t.Context(), Source{Repository: site.URL, Name: "queue", Version: "1.2.0"})
	wantError(t, err, "charts.example.com is asked for over plain http")
	if got := site.total(); got != 1 {
		t.Errorf("%d requests", got)
	}
}
