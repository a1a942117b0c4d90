// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

var teamOwner = Owner{Owner: "default", Resource: "team-quota", Name: "team-vision"}

// vision is a team with every part.
func vision() spec.Team {
	claims, password := int64(200), "correct horse"
	return spec.Team{
		Name:        "team-vision",
		Labels:      map[string]string{"stage": "research"},
		Annotations: map[string]string{"example.com/contact": "vision@example.com"},
		CostCenter:  "cc-4711",
		Queue:       "research",
		PodSecurity: spec.PodSecurity{Enforce: "baseline", Audit: "restricted", Warn: "restricted", Version: "latest"},
		Quota: spec.Quota{
			Requests: spec.Resources{"cpu": "512", "memory": "4Ti", "nvidia.com/gpu": "64", "nvidia.com/mig-1g.10gb": "14"},
			Limits:   spec.Resources{"memory": "4Ti"},
			Objects:  map[string]int64{"pods": 500, "services.loadbalancers": 0, "count/jobs.batch": 100},
			Storage: spec.StorageQuota{
				StorageAmount: spec.StorageAmount{Total: "100Ti", Claims: &claims},
				Classes:       map[string]spec.StorageAmount{"fast-nvme": {Total: "10Ti"}},
			},
		},
		Limits: spec.Limits{
			Container: spec.ContainerLimits{
				Default:        spec.Resources{"cpu": "2", "memory": "8Gi"},
				DefaultRequest: spec.Resources{"cpu": "1"},
				Max:            spec.Resources{"nvidia.com/gpu": "8"},
				MaxRatio:       spec.Resources{"cpu": "4"},
			},
			Pod:   spec.PodLimits{Max: spec.Resources{"nvidia.com/gpu": "8"}},
			Claim: spec.ClaimLimits{Max: "10Ti"},
		},
		Members: spec.Members{
			spec.Admins:        {Users: []string{"ada@example.com"}},
			spec.Engineers:     {Groups: []string{"vision"}, ServiceAccounts: []string{"runner", "ci/deployer"}},
			spec.DataEngineers: {Groups: []string{"data"}},
			spec.Viewers:       {Groups: []string{"staff"}},
		},
		Network: spec.Network{
			DefaultDeny: true, DNS: true, SameNamespace: true,
			IngressNamespaces: []string{"monitoring"},
			EgressNamespaces:  []string{"storage", "mlflow"},
			IngressCIDRs:      map[string]spec.Block{"10.0.0.0/8": {Ports: []string{"8080"}}},
			EgressCIDRs: map[string]spec.Block{
				"0.0.0.0/0": {Except: []string{"169.254.169.254/32"}, Ports: []string{"443", "30000-32767/UDP"}},
				"fd00::/8":  {},
			},
		},
		Registry: &spec.Registry{
			Server: "registry.example.com:5000", Username: "robot", Email: "robot@example.com",
			Password: &password, PasswordVersion: "7",
		},
	}
}

func TestTeamIsRendered(t *testing.T) {
	golden(t, "team_every_part", Team(vision(), teamOwner))
}

func TestTeamWithANameAloneIsANamespace(t *testing.T) {
	golden(t, "team_name_alone", Team(spec.Team{Name: "team-vision"}, teamOwner))
}

func TestIsolatedTeamHasNoAllowPolicyWithoutOpenings(t *testing.T) {
	list := Team(spec.Team{Name: "team-vision", Network: spec.Network{DefaultDeny: true}}, teamOwner)
	golden(t, "team_isolated", list)
}

func TestSecretHasNoDataWithoutThePassword(t *testing.T) {
	team := vision()
	team.Registry.Password = nil
	for _, o := range Team(team, teamOwner) {
		if _, holds := o.Object["data"]; holds {
			t.Errorf("%s has data", Ref(o))
		}
	}
}

func TestEveryObjectCarriesItsOwner(t *testing.T) {
	for _, o := range Team(vision(), teamOwner) {
		if owner, ours := OwnerOf(o.GetLabels()); !ours || owner != teamOwner {
			t.Errorf("%s belongs to %v", Ref(o), owner)
		}
	}
}

// TestTeamReadsBack holds for what was rendered and for what an API server makes of it:
// canonical quantities, no empty lists.
func TestTeamReadsBack(t *testing.T) {
	for seed := range uint64(300) {
		team := generator{rand.New(rand.NewPCG(seed, 0))}.team()
		if v := team.Validate(); len(v) > 0 {
			t.Fatalf("seed %d: the generated team is not valid: %v", seed, v)
		}
		rendered := Team(team, teamOwner)
		want := readable(team)
		if diff := cmp.Diff(want, TeamFrom(rendered)); diff != "" {
			t.Fatalf("seed %d: what was rendered reads back as (-want +got):\n%s", seed, diff)
		}
		stored := make([]*Object, len(rendered))
		for i, o := range rendered {
			stored[len(stored)-1-i] = store(t, o)
		}
		if diff := cmp.Diff(team, TeamFrom(stored).Restated(team)); diff != "" {
			t.Fatalf("seed %d: what was stored reads back as (-want +got):\n%s", seed, diff)
		}
	}
}

// readable returns the team without what no object tells.
func readable(t spec.Team) spec.Team {
	t.DeleteRunningPods, t.DeleteBoundVolumes = false, false
	if t.Registry != nil {
		registry := *t.Registry
		registry.Password = nil
		t.Registry = &registry
	}
	return t
}

// store passes an object through its Go type, as an API server does. It fails where the
// type has no such field.
func store(t *testing.T, o *Object) *Object {
	t.Helper()
	typed, ok := map[string]any{
		"Namespace":      &corev1.Namespace{},
		"ResourceQuota":  &corev1.ResourceQuota{},
		"LimitRange":     &corev1.LimitRange{},
		"Secret":         &corev1.Secret{},
		"ServiceAccount": &corev1.ServiceAccount{},
		"NetworkPolicy":  &networkingv1.NetworkPolicy{},
		"Role":           &rbacv1.Role{},
		"RoleBinding":    &rbacv1.RoleBinding{},
	}[o.GetKind()]
	if !ok {
		t.Fatalf("a team has no %s", o.GetKind())
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, typed, true); err != nil {
		t.Fatalf("%s is not what the API takes: %v", Ref(o), err)
	}
	return From(typed)
}

func BenchmarkTeam(b *testing.B) {
	team := vision()
	b.ReportAllocs()
	for b.Loop() {
		Team(team, teamOwner)
	}
}

func BenchmarkTeamFrom(b *testing.B) {
	rendered := Team(vision(), teamOwner)
	b.ReportAllocs()
	for b.Loop() {
		TeamFrom(rendered)
	}
}
