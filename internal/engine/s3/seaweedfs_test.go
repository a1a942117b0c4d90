// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/s3bed"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// weedEnv names SeaweedFS's program weed (github.com/seaweedfs/seaweedfs/weed). It has lifecycle
// rules, which versitygw lacks, and takes a quarter of an hour of processor time to build.
const weedEnv = "TRAINYARD_WEED"

func startSeaweedFS(t *testing.T) string {
	t.Helper()
	path := os.Getenv(weedEnv)
	if path == "" {
		t.Skipf("%s is not set: it would name the program weed, which is too large to be built for every test", weedEnv)
	}
	folder := t.TempDir()
	identities := `{"identities":[{"name":"tests","credentials":[{"accessKey":"` + accessKey + `","secretKey":"` + secretKey + `"}],"actions":["Admin"]}]}`
	config := filepath.Join(folder, "s3.json")
	if err := os.WriteFile(config, []byte(identities), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"-logtostderr", "server", "-ip", "127.0.0.1", "-ip.bind", "127.0.0.1", "-dir", folder, "-filer", "-s3", "-s3.config", config, "-volume.max", "10"}
	ports := map[string]string{}
	for _, flag := range []string{"master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc", "s3.port", "s3.port.grpc"} {
		_, port, err := net.SplitHostPort(s3bed.FreeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		ports[flag] = port
		arguments = append(arguments, "-"+flag, port)
	}
	command := exec.Command(path, arguments...)
	command.Dir, command.Env = folder, []string{"HOME=" + folder}
	address := "http://127.0.0.1:" + ports["s3.port"]
	ready := func(r *http.Response) bool { return strings.HasPrefix(r.Header.Get("Server"), "SeaweedFS") }
	if !s3bed.Run(t, command, address, ready) {
		t.Fatal("SeaweedFS does not start")
	}
	return address
}

func TestSeaweedFSKeepsLifecycleRules(t *testing.T) {
	t.Parallel()
	s := open(t, startSeaweedFS(t))
	want := wanted(func(w *Want) {
		w.Lifecycle = []spec.LifecycleRule{
			{ID: "scratch", Prefix: "tmp/", ExpireAfterDays: 3},
			{ID: "tidy", Prefix: "x/", ExpireNoncurrentAfterDays: 7, AbortUploadsAfterDays: 2},
		}
	})
	mustKeep(t, s, want)
	byHand := writeLifecycle(want.Lifecycle)
	byHand.Rules[0].Expiration.Days = 30
	if err := s.client.SetBucketLifecycle(t.Context(), "datasets", byHand); err != nil {
		t.Fatal(err)
	}
	lines := []string{`bucket datasets: lifecycle rule "scratch": expire after: 30 days -> 3 days`}
	if diff := cmp.Diff(lines, mustKeep(t, s, want)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err := keep(t, s, wanted(aging))
	var unsupported *UnsupportedError
	if !errors.As(err, &unsupported) || unsupported.Feature != Lifecycle {
		t.Fatalf("archiving, which it does not have: err = %v", err)
	}
	checkError(t, err, "cannot have lifecycle as configured", "SeaweedFS", "NotImplemented")
	gone := wanted(func(w *Want) { w.Before = want.Given() })
	mustKeep(t, s, gone)
	if have, err := s.Observe(t.Context(), "datasets", Settable); err != nil || len(have.Lifecycle) > 0 {
		t.Errorf("once wanted no longer: %+v, %v", have, err)
	}
}

func TestSeaweedFSKeepsAndRemovesBuckets(t *testing.T) {
	t.Parallel()
	s := open(t, startSeaweedFS(t))
	mustKeep(t, s, wanted(everything))
	if again := mustKeep(t, s, wanted(everything)); len(again) > 0 {
		t.Errorf("the second time: %v", again)
	}
	fill(t, s, "datasets")
	var full *NotEmptyError
	if err := s.Remove(t.Context(), removal()); !errors.As(err, &full) {
		t.Fatalf("err = %v", err)
	}
	lose := removal()
	lose.Lose = true
	if err := s.Remove(t.Context(), lose); err != nil {
		t.Fatal(err)
	}
	checkGone(t, s)
}
