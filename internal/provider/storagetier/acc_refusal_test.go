// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier_test

import (
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
)

func TestAccTiersThatCannotBe(t *testing.T) {
	bed := acctest.New(t)
	w := bed.Workspace("")
	outside := `object = { backend = "outside", endpoint = "https://s3.example.com", buckets = `
	for name, test := range map[string]struct{ config, want string }{
		"no kind of tier":          {``, "0 of cache, shared and object are given"},
		"two kinds":                {"cache = {}\n shared = { csi = { provisioner = \"x\", classes = { a = {} } } }", "2 of cache, shared and object are given"},
		"shared by nothing":        {`shared = {}`, "Give exactly one of shared.ceph and shared.csi"},
		"two default classes":      {`shared = { csi = { provisioner = "x", classes = { a = { default = true }, b = { default = true } } } }`, "the classes a and b are both the cluster's default"},
		"Ceph without devices":     {`shared = { ceph = { block = {} } }`, "no device is named"},
		"a server that is nowhere": {`object = { backend = "outside" }`, "nothing says where the server outside is"},
		"MinIO of two":             {`object = { backend = "minio", access_key = "k", secret_key_wo = "s", server = { replicas = 2 } }`, "MinIO does not spread chunks over 2 servers"},
		"MinIO without keys":       {`object = { backend = "minio" }`, "the server is installed with its keys"},
		"Ceph without a store":     {`object = { backend = "ceph" }`, "nothing says which store of Ceph it is"},
		"a bucket of no name":      {outside + `{ A_B = {} } }`, `"A_B" is not the name of a bucket`},
		"lock without versions":    {outside + `{ logs = { object_lock = { mode = "governance", days = 3 } } } }`, "object lock keeps versions"},
		"an unknown accelerator":   {"cache = {}\n read_bandwidth_gb_per_s = 1\n pools = { a = { accelerator = \"h1\", accelerators = 8 } }", `there is no accelerator "h1"`},
	} {
		w.Write(tier("one", test.config))
		if result := w.Run("validate"); result.Code != 1 {
			t.Errorf("%s: %s", name, result.Text)
		} else {
			has(t, result.Text, test.want)
		}
	}
}

func TestAccStorageThatKeepsAcceleratorsWaitingIsAWarning(t *testing.T) {
	bed := acctest.New(t)
	pools := `pools = { h100 = { accelerator = "h100", accelerators = 64 }, a100 = { accelerator = "a100-80gb", accelerators = 32 } }`
	w := bed.Workspace(tier("slow", "cache = {}", "read_bandwidth_gb_per_s = 40", pools))
	has(t, w.Must(w.Run("validate"), 0).Text, "The tier reads 40 GB/s, and its readers want 160 GB/s", "a100 32 x 1, h100 64 x 2 GB/s")
	w.Write(tier("fast", "cache = {}", "read_bandwidth_gb_per_s = 160", pools))
	has(t, w.Must(w.Run("validate"), 0).Text, "Success! The configuration is valid.")
}
