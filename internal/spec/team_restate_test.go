// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRestatedKeepsTheUsersWords(t *testing.T) {
	prior := vision()
	prior.DeleteRunningPods = true
	prior.Limits.Container.DefaultRequest["nvidia.com/gpu"] = "0" // follows anyway
	prior.Members[Viewers] = Subjects{Users: []string{}}

	// The same team as the API server writes it.
	claims := int64(20)
	observed := vision()
	observed.Labels["added-by"] = "another tool"
	observed.Quota.Requests["memory"] = "4096Gi"
	observed.Quota.Storage.Total = "102400Gi"
	observed.Quota.Storage.Claims = &claims
	observed.Limits.Container.Max["memory"] = "1024Gi"
	observed.Limits.Claim.Max = "10240Gi"
	observed.Members[Engineers] = Subjects{Groups: []string{"vision"}, ServiceAccounts: []string{"runner", "ci/deployer"}}
	delete(observed.Members, Viewers)
	prior.Members[Engineers] = Subjects{Groups: []string{"vision"}, ServiceAccounts: []string{"team-vision/runner", "ci/deployer"}}
	prior.Network.EgressCIDRs["0.0.0.0/0"] = Block{Except: []string{"169.254.169.254/32"}, Ports: []string{"443/TCP", "30000-32767/UDP"}}
	observed.Registry.Password = nil

	if diff := cmp.Diff(prior, observed.Restated(prior)); diff != "" {
		t.Errorf("restated team (-want +got):\n%s", diff)
	}
}

func TestRestatedShowsWhatDiffers(t *testing.T) {
	observed := vision()
	observed.Labels = nil
	observed.Quota.Requests["nvidia.com/gpu"] = "128"
	observed.Quota.Requests["memory"] = "4096Gi"
	observed.Limits.Container.Max["cpu"] = "128"
	observed.Members[Admins] = Subjects{Users: []string{"ada@example.com", "mallory@example.com"}}
	observed.Network = Network{DNS: true, SameNamespace: true}
	observed.Registry = nil

	want := vision()
	want.Labels = map[string]string{}
	want.Quota.Requests["nvidia.com/gpu"] = "128"
	want.Limits.Container.Max["cpu"] = "128"
	want.Members[Admins] = Subjects{Users: []string{"ada@example.com", "mallory@example.com"}}
	want.Network = Network{DNS: true, SameNamespace: true}
	want.Registry = nil

	if diff := cmp.Diff(want, observed.Restated(vision())); diff != "" {
		t.Errorf("restated team (-want +got):\n%s", diff)
	}
}
