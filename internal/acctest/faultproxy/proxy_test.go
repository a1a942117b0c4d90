// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const truth = "the true answer of the API server"

func upstream(t *testing.T) *rest.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, truth, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

// client goes through the kubeconfig that the proxy wrote.
func client(t *testing.T, p *Proxy) func(method, path string) (*http.Response, string, error) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return func(method, path string) (*http.Response, string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, method, p.Host+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(request)
		if err != nil {
			return nil, "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return resp, string(body), err
	}
}

func TestEveryFaultStrikesAsItSays(t *testing.T) {
	const queues = "/apis/scheduling.volcano.sh/v1beta1/queues"
	for _, http2 := range []bool{true, false} {
		p := start(t, upstream(t), http2)
		send := client(t, p)
		for _, c := range []struct {
			kind Kind
			code int
			body string
		}{
			{TooManyRequests, 429, "Too many requests"},
			{InternalError, 500, `"reason":"InternalError"`},
			{Unavailable, 503, "no healthy upstream"},
			{Unauthorized, 401, `"reason":"Unauthorized"`},
			{Forbidden, 403, "queues is forbidden"},
			{NotFoundPage, 404, "<html>"},
			{WrongPage, 200, "<html>"},
			{QuotaConflict, 409, `"kind":"resourcequotas"`},
			{Slow, 200, truth},
			{Reset, 0, ""},
			{CutBody, 0, ""},
			{CutChunk, 0, ""},
			{Hang, 0, ""},
		} {
			t.Run(fmt.Sprintf("%s over HTTP/2 %v", c.kind, http2), func(t *testing.T) {
				p.Heal()
				fault := p.Inject(Fault{Kind: c.kind, Times: 1})
				resp, body, err := send(http.MethodPost, queues) // a GET would be repeated on its own
				switch {
				case c.code == 0 && err == nil:
					t.Errorf("the client got %q, want an error", body)
				case c.code == 0:
				case err != nil:
					t.Errorf("the client got %v, want %d", err, c.code)
				case resp.StatusCode != c.code || !strings.Contains(body, c.body):
					t.Errorf("the client got %d %q, want %d %q", resp.StatusCode, body, c.code, c.body)
				case c.kind == TooManyRequests && resp.Header.Get("Retry-After") != "1":
					t.Errorf("Retry-After is %q, want 1", resp.Header.Get("Retry-After"))
				}
				if hits := p.Hits(fault); hits != 1 {
					t.Errorf("%d requests were struck, want 1", hits)
				}
				if _, body, err := send(http.MethodGet, queues); err != nil || body != truth {
					t.Errorf("the second request got %q, %v, want the true answer", body, err)
				}
			})
		}
	}
}

func TestFaultStrikesChosenRequestsOnly(t *testing.T) {
	p := Start(t, upstream(t))
	send := client(t, p)
	p.Inject(Fault{Kind: InternalError, Verb: "list", Path: "/queues$", From: 2, Times: 2})
	var got []int
	for _, path := range []string{"/queues", "/queues", "/queues/p0", "/priorityclasses", "/queues", "/queues"} {
		resp, _, err := send(http.MethodGet, "/apis/scheduling.volcano.sh/v1beta1"+path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, resp.StatusCode)
	}
	if diff := cmp.Diff([]int{200, 500, 200, 200, 500, 200}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestRequestsAreCountedByVerbAndResource(t *testing.T) {
	p := Start(t, upstream(t))
	send := client(t, p)
	for _, c := range []struct{ method, path string }{
		{http.MethodGet, "/api/v1/namespaces"},
		{http.MethodGet, "/api/v1/namespaces/kube-system"},
		{http.MethodGet, "/api/v1/namespaces/vision/resourcequotas"},
		{http.MethodDelete, "/apis/rbac.authorization.k8s.io/v1/namespaces/vision/roles/admins"},
		{http.MethodPatch, "/apis/scheduling.volcano.sh/v1beta1/queues/p0/status"},
		{http.MethodPost, "/api/v1/namespaces/vision/serviceaccounts/default/token"},
		{http.MethodGet, "/version"},
		{http.MethodGet, "/version"},
	} {
		if _, _, err := send(c.method, c.path); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int{
		"list namespaces": 1, "get namespaces": 1, "list resourcequotas": 1, "delete roles": 1,
		"patch queues/status": 1, "create serviceaccounts/token": 1, "get /version": 2,
	}
	if diff := cmp.Diff(want, p.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	p.Reset()
	if counts := p.Counts(); len(counts) > 0 {
		t.Errorf("after a reset there are %v", counts)
	}
}

func TestAnswersAreRewritten(t *testing.T) {
	p := Start(t, upstream(t))
	p.Replace("true", "fake")
	if _, body, err := client(t, p)(http.MethodGet, "/"); err != nil || !strings.Contains(body, "the fake answer") {
		t.Errorf("the client got %q, %v", body, err)
	}
}

func TestWatchersSeeEachRequestBeforeAndAfter(t *testing.T) {
	p := Start(t, upstream(t))
	var seen []string
	p.Watch(
		func(n int, r Request) { seen = append(seen, fmt.Sprintf("%d before %s", n, r)) },
		func(n int, r Request) { seen = append(seen, fmt.Sprintf("%d after %s", n, r)) },
	)
	send := client(t, p)
	for range 2 {
		if _, _, err := send(http.MethodGet, "/api/v1/nodes"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"1 before list nodes", "1 after list nodes", "2 before list nodes", "2 after list nodes"}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClientsMustTrustTheProxysAuthority(t *testing.T) {
	p := Start(t, upstream(t))
	_, err := http.Get(p.Host)
	var unknown x509.UnknownAuthorityError
	if !errors.As(err, &unknown) {
		t.Errorf("a client without the authority got %v", err)
	}
	text, err := os.ReadFile(p.Kubeconfig)
	if err != nil || strings.Contains(string(text), "insecure") {
		t.Errorf("the kubeconfig is %s, %v", text, err)
	}
}
