// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAQuotaOfMinIOIsSetChangedAndTakenAway(t *testing.T) {
	t.Parallel()
	front := startProxy(t, startVersitygw(t))
	quotas := &quotaStandIn{t: t, quotas: map[string]string{}}
	front.answer(quotas.answer)
	// The proxy passes on what versitygw calls itself, so the backend has to be said.
	s := open(t, front.URL, func(c *Connection) { c.Backend = "minio" })
	first := wanted(func(w *Want) { w.QuotaBytes = "2Ti" })
	second := wanted(func(w *Want) { w.QuotaBytes = "500G" })
	third := wanted(func(w *Want) { w.Before = second.Given() })
	for _, step := range []struct {
		want  Want
		lines []string
	}{
		{first, []string{"bucket datasets: create", `bucket datasets: owner: none -> "tier/datasets"`, "bucket datasets: quota: none -> 2Ti"}},
		{first, []string{}},
		{wanted(func(w *Want) { w.QuotaBytes = "2048Gi" }), []string{}},
		{second, []string{"bucket datasets: quota: 2Ti -> 500G"}},
		{third, []string{"bucket datasets: quota: 500G -> none"}},
		{third, []string{}},
	} {
		if diff := cmp.Diff(step.lines, mustKeep(t, s, step.want)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", step.want.QuotaBytes, diff)
		}
	}
	bodies := []string{
		`{"quota":2199023255552,"size":2199023255552,"quotatype":"hard"}`,
		`{"quota":500000000000,"size":500000000000,"quotatype":"hard"}`,
		`{"quota":0,"size":0}`,
	}
	if diff := cmp.Diff(bodies, quotas.bodies); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
}

func TestMinIOIsKnownByWhatItAnswers(t *testing.T) {
	t.Parallel()
	quotas := &quotaStandIn{t: t, quotas: map[string]string{"datasets": `{"quota":0,"size":1024,"rate":0,"requests":0,"quotatype":"hard"}`}}
	s := open(t, startStandIn(t, quotas.answer))
	// No bucket is there to list: the stand-in has nothing but quotas.
	have := Have{}
	if err := s.readInto(t.Context(), "datasets", []Feature{Versioning, Quota}, &have); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Have{QuotaBytes: 1024, Unsupported: []Feature{Versioning}}, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
