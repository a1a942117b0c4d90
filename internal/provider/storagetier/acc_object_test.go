// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/s3bed"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/s3"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// front stands before an S3 server and can fail in its place.
type front struct {
	s3bed.Server
	fails atomic.Pointer[func(http.ResponseWriter)]
}

// fail lets requests fail in a way; nil: they no longer do.
func (f *front) fail(how func(http.ResponseWriter)) {
	if how == nil {
		f.fails.Store(nil)
		return
	}
	f.fails.Store(&how)
}

// refusing answers as S3 does when it does not do what is asked.
func refusing(code string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>for the test</Message></Error>", code)
	}
}

// cutting closes the connection before it answers.
func cutting(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func newFront(t *testing.T) *front {
	t.Helper()
	f := &front{Server: s3bed.Start(t)}
	to, err := url.Parse(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // which is signed
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if how := f.fails.Load(); how != nil {
			(*how)(w)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.URL = server.URL
	return f
}

// byHand is somebody else at the server.
func (f *front) byHand(t *testing.T, want s3.Want) {
	t.Helper()
	server, err := s3.Open(s3.Connection{Endpoint: f.URL, AccessKey: s3bed.AccessKey, SecretKey: s3bed.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	have, err := server.Observe(t.Context(), want.Name, want.Features())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Apply(t.Context(), want, have, s3.Between(want, have)); err != nil {
		t.Fatal(err)
	}
}

// object is a tier of buckets on a server outside, with keys of the configuration.
func (f *front) object(ns, buckets string, more ...string) string {
	return tier(ns, append(more, fmt.Sprintf(`object = {
    backend       = "outside"
    endpoint      = %q
    access_key    = %q
    secret_key_wo = %q
    namespace     = %q
    buckets = {
%s
    }
  }`, f.URL, s3bed.AccessKey, s3bed.SecretKey, ns, buckets))...)
}

const datasets = `
      datasets = {
        versioning = "enabled"
        cors       = [{ origins = ["https://hub.example.com"], methods = ["GET"] }]
        policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Principal = "*", Action = "s3:GetObject", Resource = "arn:aws:s3:::datasets/*" }] })
      }`

func TestAccObjectTierOutside(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	f := newFront(t)
	w := bed.Workspace(f.object(ns, datasets+"\n      checkpoints = {}", `timeouts = { read = "4s" }`))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "bucket datasets: create", "bucket checkpoints: create", "create Secret "+ns+"/"+ns+"-s3")
	w.Must(w.Apply(), 0)
	w.Settled()
	has(t, string(w.State()), `"datasets": "datasets"`, `"endpoint": "`+f.URL+`"`)

	t.Log("a hand edit is drift, and put right")
	f.byHand(t, s3.Want{Bucket: spec.Bucket{Name: "datasets", CORS: []spec.CORSRule{{Origins: []string{"*"}, Methods: []string{"PUT"}}}}, Owner: "default/" + ns, Kept: true})
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "repair bucket datasets: CORS rule 1: PUT from * -> GET from https://hub.example.com")
	w.Must(w.Apply(), 0)
	w.Settled()

	t.Log("a server that refuses or is gone is an error, and the state stays")
	before := string(w.State())
	for _, fault := range []struct {
		how  func(http.ResponseWriter)
		want string
	}{{refusing("AccessDenied"), "Grant s3:ListBucket"}, {refusing("RequestTimeTooSkewed"), "Set the clock of whichever is wrong"}, {cutting, "closed the connection before it answered"}} {
		f.fail(fault.how)
		has(t, w.Must(w.Plan(), acctest.Failed).Text, `bucket "checkpoints"`, fault.want)
	}
	w.Must(w.Apply(), 1)
	has(t, w.Must(w.Destroy(), 1).Text, "Unable to read storage tier")
	f.fail(nil)
	if string(w.State()) != before {
		t.Error("the state has changed")
	}
	w.Settled()

	t.Log("keys that somebody deletes are drift, and come back")
	bed.Delete(secrets, ns, ns+"-s3")
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "Secret "+ns+"/"+ns+"-s3: deleted")
	w.Must(w.Apply(), 0)
	w.Settled()

	t.Log("keys that the server does not know are no reason to give up")
	bed.Edit(secrets, ns, ns+"-s3", `{"data":{"AWS_SECRET_ACCESS_KEY":"d3Jvbmc="}}`)
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "Secret "+ns+"/"+ns+"-s3: data")
	w.Must(w.Apply(), 0)
	w.Settled()

	t.Log("a bucket that is left out goes, and one with objects keeps the tier")
	w.Write(f.object(ns, datasets))
	has(t, w.Must(w.Plan(), acctest.Changes).Text, "bucket checkpoints: delete")
	w.Must(w.Apply(), 0)
	w.Settled()
	if err := os.WriteFile(filepath.Join(f.Folder, "datasets", "sample"), []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	has(t, w.Must(w.Destroy(), 1).Text, `the bucket "datasets"`, "is not empty: it holds 1 object", "delete = { data = true }")
	w.Write(f.object(ns, datasets, "delete = { data = true }"))
	has(t, w.Must(w.Apply(), 0).Text, "every object and version in the bucket datasets")
	w.Must(w.Destroy(), 0)
	if left, _ := os.ReadDir(f.Folder); len(left) > 0 {
		t.Errorf("there is left: %v", left)
	}
	if bed.Find(secrets, ns, ns+"-s3") != nil {
		t.Error("the keys are still in the cluster")
	}
}

func TestAccBucketsOfOthersAreAdoptedOrRefused(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	f := newFront(t)
	f.byHand(t, s3.Want{Bucket: spec.Bucket{Name: "datasets"}})
	w := bed.Workspace(f.object(ns, datasets))
	has(t, w.Must(w.Plan(), acctest.Failed).Text, "nothing says that it is Trainyard's", "Set adopt = true on the bucket")
	w.Write(f.object(ns, strings.Replace(datasets, "versioning", "adopt = true\n        versioning", 1)))
	w.Must(w.Apply(), 0)
	w.Settled()

	t.Log("keys of the environment are in no Secret")
	w.Write(strings.NewReplacer("access_key    =", "# access_key =", "secret_key_wo =", "# secret =").Replace(w.Config()))
	w.Setenv("AWS_ACCESS_KEY_ID="+s3bed.AccessKey, "AWS_SECRET_ACCESS_KEY="+s3bed.SecretKey)
	t.Setenv("AWS_ACCESS_KEY_ID", s3bed.AccessKey) // the provider runs in this process
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3bed.SecretKey)
	w.Must(w.Apply(), 0)
	w.Settled()
	if bed.Find(secrets, ns, ns+"-s3") != nil {
		t.Error("the keys are still in the cluster")
	}
	w.Must(w.Destroy(), 0)
}

func TestAccTheSecretKeyIsInNoStateAndNoPlan(t *testing.T) {
	bed := acctest.New(t)
	ns := space(t, bed)
	f := newFront(t)
	w := bed.Workspace(f.object(ns, "      logs = {}"))
	texts := w.Must(w.Run("plan", "-out=saved"), 0).Text
	var planned map[string]json.RawMessage
	if err := json.Unmarshal([]byte(w.Must(w.Run("show", "-json", "saved"), 0).Text), &planned); err != nil {
		t.Fatal(err)
	}
	delete(planned, "configuration") // which has what the test wrote
	for _, part := range planned {
		texts += string(part)
	}
	w.Must(w.Run("apply", "saved"), 0)
	w.Settled()
	w.Write(f.object(ns, "      logs = { quota = \"1Ti\" }"))
	texts += w.Must(w.Plan(), acctest.Failed).Text + string(w.State())
	has(t, texts, "cannot have a quota")
	if strings.Contains(texts, s3bed.SecretKey) {
		t.Error("the secret key is there")
	}
	w.Write(f.object(ns, "      logs = {}"))
	w.Must(w.Destroy(), 0)
}
