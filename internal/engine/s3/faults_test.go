// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func hurried(c *Connection) {
	c.RequestTimeout, c.Patience = 200*time.Millisecond, 600*time.Millisecond
}

func observe(t *testing.T, s *Server) (Have, error) {
	t.Helper()
	return s.Observe(t.Context(), "datasets", []Feature{Versioning})
}

func TestAServerThatIsDownIsNoAbsentBucket(t *testing.T) {
	t.Parallel()
	s := open(t, "http://127.0.0.1:1", hurried) // where nobody listens
	_, err := observe(t, s)
	checkError(t, err, `bucket "datasets" at 127.0.0.1:`, "read bucket: the time limit is reached", "cannot be reached", "connection refused", "can be reached from this machine")
}

func TestAServerThatIsSlowIsCutOff(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	front.answer(func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	})
	s := open(t, front.URL, hurried)
	_, err := observe(t, s)
	checkError(t, err, "did not answer within 200ms", "the time limit is reached")

	ctx, cancel := context.WithCancel(t.Context())
	front.answer(func(_ http.ResponseWriter, r *http.Request) bool {
		cancel() // as a person does who waits for it
		<-r.Context().Done()
		return true
	})
	_, err = open(t, front.URL).Observe(ctx, "datasets", Settable)
	checkError(t, err, "interrupted")
}

func TestAnAnswerThatBreaksOffIsRepeated(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	s := open(t, front.URL)
	mustKeep(t, s, wanted())
	var broken atomic.Int32
	front.answer(func(w http.ResponseWriter, _ *http.Request) bool {
		if broken.Add(1) > 2 {
			return false
		}
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		_ = connection.Close()
		return true
	})
	if have, err := observe(t, s); err != nil || !have.Exists {
		t.Errorf("have %+v, err = %v", have, err)
	}
}

func TestAServerThatIsBusyIsAskedAgain(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	s := open(t, front.URL)
	var refused atomic.Int32
	front.answer(func(w http.ResponseWriter, _ *http.Request) bool {
		switch refused.Add(1) {
		case 1:
			return refuse(w, http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
		case 2:
			w.WriteHeader(http.StatusBadGateway) // of a proxy, which has no words of S3
			return true
		}
		return false
	})
	mustKeep(t, s, wanted(func(w *Want) { w.Versioning = "enabled" }))

	front.answer(func(w http.ResponseWriter, _ *http.Request) bool {
		return refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable", "no quorum")
	})
	_, err := observe(t, open(t, front.URL, hurried))
	checkError(t, err, "answers 503 ServiceUnavailable: no quorum", "the time limit is reached", "its own state")
}

func TestACreationWhoseAnswerIsLostIsOurs(t *testing.T) {
	t.Parallel()
	to := startVersitygw(t)
	front := startProxy(t, to)
	var created atomic.Bool
	front.answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || r.URL.RawQuery != "" || created.Swap(true) {
			return false
		}
		// The server does what it is asked, and its answer never arrives.
		request, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.Path, r.Body)
		if err != nil {
			t.Error(err)
			return true
		}
		request.Host, request.Header = r.Host, r.Header
		if response, err := http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%v, err = %v", response, err)
		}
		w.WriteHeader(http.StatusGatewayTimeout)
		return true
	})
	mustKeep(t, open(t, front.URL), wanted())
}

func TestSomebodyWhoIsFasterKeepsTheBucket(t *testing.T) {
	t.Parallel()
	s := open(t, startVersitygw(t))
	have, err := observe(t, s)
	if err != nil || have.Exists {
		t.Fatalf("have %+v, err = %v", have, err)
	}
	if err := s.client.MakeBucket(t.Context(), "datasets", minioMake); err != nil {
		t.Fatal(err)
	}
	_, err = s.Apply(t.Context(), wanted(), have, Between(wanted(), have))
	var taken *TakenError
	if !errors.As(err, &taken) {
		t.Errorf("err = %v", err)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	s := open(t, front.URL)
	mustKeep(t, s, wanted())
	for name, test := range map[string]struct {
		query  string // of the requests that are refused; "" is every one
		answer func(http.ResponseWriter) bool
		says   []string
	}{
		"no right to list": {
			"", func(w http.ResponseWriter) bool { return refuse(w, 403, "AccessDenied", "Access Denied.") },
			[]string{"answers 403 AccessDenied: Access Denied", `Grant s3:ListBucket to the access key that ends in "ests"`},
		},
		"no right to a feature": {
			"versioning", func(w http.ResponseWriter) bool { return refuse(w, 403, "AccessDenied", "Access Denied.") },
			[]string{"read versioning", "Grant s3:GetBucketVersioning"},
		},
		"another secret": {
			"", func(w http.ResponseWriter) bool { return refuse(w, 403, "SignatureDoesNotMatch", "no match") },
			[]string{`does not know the access key that ends in "ests"`},
		},
		"an old token": {
			"", func(w http.ResponseWriter) bool { return refuse(w, 400, "ExpiredToken", "expired") },
			[]string{"Renew the credentials"},
		},
		"another region": {"", func(w http.ResponseWriter) bool {
			w.Header().Set("X-Amz-Bucket-Region", "eu-north-1")
			return refuse(w, 301, "PermanentRedirect", "elsewhere")
		}, []string{`Set the region "eu-north-1"`}},
		"a region that is not told": {
			"", func(w http.ResponseWriter) bool {
				return refuse(w, 400, "AuthorizationHeaderMalformed", "wrong region")
			},
			[]string{`signed for the region "us-east-1"`},
		},
		"a clock that is behind": {"", func(w http.ResponseWriter) bool {
			w.Header().Set("Date", time.Now().Add(-20*time.Minute).UTC().Format(http.TimeFormat))
			return refuse(w, 403, "RequestTimeTooSkewed", "The difference is too large")
		}, []string{"The server's clock is 20m", "behind this machine's", "NTP"}},
		"a clock that is ahead": {"", func(w http.ResponseWriter) bool {
			w.Header().Set("Date", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
			return refuse(w, 403, "RequestTimeTooSkewed", "The difference is too large")
		}, []string{"ahead of this machine's", "h"}},
		"a clock that is not shown": {"", func(w http.ResponseWriter) bool {
			w.Header()["Date"] = nil
			return refuse(w, 403, "RequestTimeTooSkewed", "The difference is too large")
		}, []string{"more than the server allows", "NTP"}},
		"a page with a 404": {"", func(w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<html><body>no such page</body></html>")
			return true
		}, []string{"answers 404 Not Found, and not in the way of S3", "Set the endpoint of the S3 API"}},
		"a 404 of nothing": {
			"", func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusNotFound); return true },
			[]string{"not in the way of S3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			front.answer(func(w http.ResponseWriter, r *http.Request) bool {
				return (test.query == "" || r.URL.Query().Has(test.query)) && test.answer(w)
			})
			have, err := observe(t, s)
			checkError(t, err, test.says...)
			if have.Exists {
				t.Errorf("have = %+v", have)
			}
		})
	}
	front.answer(nil)
	if _, err := s.Observe(t.Context(), "never-made", Settable); err != nil {
		t.Errorf("a bucket that is not there: %v", err)
	}
}

func TestACertificateThatNobodyTrustsIsNotRepeated(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		refuse(w, http.StatusNotFound, "NoSuchBucket", "none")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it says that its certificate is not trusted
	server.StartTLS()
	t.Cleanup(server.Close)
	_, err := observe(t, open(t, server.URL))
	checkError(t, err, "certificate", "CA bundle")
	if strings.Contains(err.Error(), "time limit") || asked.Load() != 0 {
		t.Errorf("it was repeated: %v", err)
	}
	trusting := open(t, server.URL, func(c *Connection) { c.CABundle = certificatePEM(server) })
	if have, err := observe(t, trusting); err != nil || have.Exists || asked.Load() != 1 {
		t.Errorf("have %+v after %d requests, err = %v", have, asked.Load(), err)
	}
}

// TestAServerThatKeepsLessThanItTakesIsFoundOut has one that says yes to a CORS rule and forgets
// its headers.
func TestAServerThatKeepsLessThanItTakesIsFoundOut(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	front.answer(func(w http.ResponseWriter, r *http.Request) bool {
		if !r.URL.Query().Has("cors") || r.Method != http.MethodGet {
			return false
		}
		_, _ = io.WriteString(w, "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>")
		return true
	})
	want := wanted(func(w *Want) {
		w.CORS = []spec.CORSRule{{Origins: []string{"*"}, Methods: []string{"GET"}, Headers: []string{"x-run"}}}
	})
	_, err := keep(t, open(t, front.URL), want)
	checkError(t, err, `the bucket "datasets": it still differs after it was set`, "bucket datasets: CORS rule 1: GET from * -> GET from * with x-run", "Run again")
}

func TestOnlyWhatIsNeededIsRead(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	s := open(t, front.URL)
	mustKeep(t, s, wanted())
	front.mu.Lock()
	front.requests = nil
	front.mu.Unlock()
	if lines := mustKeep(t, s, wanted()); len(lines) > 0 {
		t.Errorf("changes: %v", lines)
	}
	front.mu.Lock()
	defer front.mu.Unlock()
	slices.Sort(front.requests)
	once := []string{"GET /datasets/?delimiter=%2F&encoding-type=url&fetch-owner=true&list-type=2&max-keys=1&prefix=", "GET /datasets/?tagging="}
	if diff := cmp.Diff([]string{once[0], once[0], once[1], once[1]}, front.requests); diff != "" {
		t.Errorf("observing and reading back (-want +got):\n%s", diff)
	}
}

func TestABucketThatGoesWhileItIsReadIsAbsent(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	s := open(t, front.URL)
	mustKeep(t, s, wanted())
	front.answer(func(w http.ResponseWriter, r *http.Request) bool {
		return r.URL.Query().Has("versioning") && refuse(w, http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist")
	})
	if have, err := observe(t, s); err != nil || have.Exists || have.Owner != "" {
		t.Errorf("have %+v, err = %v", have, err)
	}
}

func TestAServerThatDeletesNothingIsFoundOut(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	s := open(t, front.URL)
	mustKeep(t, s, wanted())
	upload(t, s, "datasets", "stays", "1")
	lose := removal()
	lose.Lose = true
	for _, test := range []struct {
		answer func(http.ResponseWriter) bool
		says   string
	}{
		{func(w http.ResponseWriter) bool {
			_, _ = io.WriteString(w, "<DeleteResult><Deleted><Key>stays</Key></Deleted></DeleteResult>")
			return true
		}, `the server says that "stays" is deleted and still lists it`},
		{func(w http.ResponseWriter) bool { return refuse(w, http.StatusForbidden, "AccessDenied", "no") }, "Grant s3:DeleteObjectVersion"},
		{func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusNotFound); return true }, "not in the way of S3"},
		{func(w http.ResponseWriter) bool {
			_, _ = io.WriteString(w, "<DeleteResult><Error><Key>stays</Key><Code>AccessDenied</Code><Message>Not you.</Message></Error></DeleteResult>")
			return true
		}, `the server keeps "stays" (version `},
	} {
		front.answer(func(w http.ResponseWriter, r *http.Request) bool {
			return r.URL.Query().Has("delete") && test.answer(w)
		})
		checkError(t, s.Remove(t.Context(), lose), `the bucket "datasets" at`, test.says)
	}
	front.answer(nil)
	if page, err := s.page(t.Context(), "datasets", nil); err != nil || len(page) != 1 {
		t.Errorf("left: %v, %v", page, err)
	}
}

func TestABucketThatFillsAsItIsDeletedRefuses(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	s := open(t, front.URL)
	mustKeep(t, s, wanted())
	front.answer(func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodDelete && refuse(w, http.StatusConflict, "BucketNotEmpty", "The bucket you tried to delete is not empty")
	})
	err := s.Remove(t.Context(), removal())
	var full *NotEmptyError
	if !errors.As(err, &full) {
		t.Fatalf("err = %v", err)
	}
	checkError(t, err, "it holds something", "allow_data_loss = true")
}
