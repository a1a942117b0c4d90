// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// generator makes valid teams of every shape. Each part is there or not.
type generator struct{ *rand.Rand }

func (g generator) team() spec.Team {
	t := spec.Team{
		Name:        fmt.Sprintf("team-%d", g.IntN(1000)),
		Labels:      some(g, 3, g.word, g.word),
		Annotations: some(g, 3, g.word, g.word),
		CostCenter:  g.maybe(g.word),
		Queue:       g.maybe(g.word),
		PodSecurity: spec.PodSecurity{Enforce: g.level(), Audit: g.level(), Warn: g.level(), Version: g.pick("latest", "v1.36")},
		Network:     spec.Network{DNS: true, SameNamespace: true},

		DeleteRunningPods: g.coin(), DeleteBoundVolumes: g.coin(),
	}
	if g.coin() {
		t.Quota = g.quota()
	}
	if g.coin() {
		t.Limits = g.limits()
	}
	for _, role := range spec.Roles {
		if subjects := g.subjects(); !subjects.Empty() {
			put(&t.Members, role, subjects)
		}
	}
	if g.coin() {
		t.Network = g.network()
	}
	if g.coin() {
		password := g.word()
		t.Registry = &spec.Registry{
			Server: g.word() + ".example.com", Username: g.word(), Email: g.maybe(g.word),
			Password: &password, PasswordVersion: g.maybe(g.word),
		}
	}
	return t
}

func (g generator) quota() spec.Quota {
	device := func() string {
		return g.pick("nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "amd.com/gpu", "huawei.com/Ascend910")
	}
	q := spec.Quota{
		Requests: some(g, 3, device, g.count),
		Objects: some(g, 3, func() string { return g.pick("pods", "services.nodeports", "count/jobs.batch") },
			func() int64 { return g.Int64N(2000) }),
		Storage: spec.StorageQuota{
			StorageAmount: g.storage(),
			Classes:       some(g, 2, g.word, func() spec.StorageAmount { return spec.StorageAmount{Total: g.bytes()} }),
		},
	}
	if g.coin() {
		put(&q.Requests, "cpu", g.pick("500m", "1000m", "2"))
		put(&q.Limits, "cpu", g.pick("4", "4000m"))
	}
	return q
}

func (g generator) storage() spec.StorageAmount {
	var amount spec.StorageAmount
	if g.coin() {
		amount.Total = g.bytes()
	}
	if g.coin() {
		claims := g.Int64N(2000)
		amount.Claims = &claims
	}
	return amount
}

// limits holds no default that follows from the other limits.
func (g generator) limits() spec.Limits {
	var l spec.Limits
	if g.coin() {
		c := &l.Container
		put(&c.Min, "cpu", "100m")
		put(&c.Max, "cpu", g.pick("4", "4000m"))
		if g.coin() {
			put(&c.DefaultRequest, "cpu", g.pick("1", "1000m"))
		}
		if g.coin() {
			put(&c.Default, "cpu", "2")
		}
		if g.coin() {
			put(&c.Max, "nvidia.com/gpu", "8")
		}
		if g.coin() {
			put(&c.MaxRatio, "memory", g.pick("2", "1.5"))
		}
	}
	if g.coin() {
		put(&l.Pod.Max, "memory", g.bytes())
	}
	if g.coin() {
		l.Claim.Max = g.bytes()
	}
	return l
}

func (g generator) subjects() spec.Subjects {
	return spec.Subjects{
		Users:           g.words("user-"),
		Groups:          g.words("system:group-"),
		ServiceAccounts: append(g.words("account-"), g.words("ci/account-")...),
	}
}

func (g generator) network() spec.Network {
	return spec.Network{
		DefaultDeny: true, DNS: g.coin(), SameNamespace: g.coin(),
		IngressNamespaces: g.words("from-"), EgressNamespaces: g.words("to-"),
		IngressCIDRs: g.blocks(), EgressCIDRs: g.blocks(),
	}
}

func (g generator) blocks() map[string]spec.Block {
	return some(g, 3, func() string { return fmt.Sprintf("10.%d.0.0/16", g.IntN(256)) }, func() spec.Block {
		var block spec.Block
		if g.coin() {
			block.Ports = []string{"443", g.pick("53/UDP", "1-65535/SCTP", "30000-32767")}
		}
		return block
	})
}

func (g generator) coin() bool                  { return g.IntN(2) == 0 }
func (g generator) pick(words ...string) string { return words[g.IntN(len(words))] }
func (g generator) word() string                { return "w" + strconv.Itoa(g.IntN(100)) }
func (g generator) count() string               { return strconv.Itoa(g.IntN(2000)) }
func (g generator) bytes() string               { return g.pick("1024Mi", "1Gi", "1T", "1e12", "0") }

func (g generator) level() string { return g.pick("privileged", "baseline", "restricted") }

func (g generator) maybe(word func() string) string {
	if g.coin() {
		return ""
	}
	return word()
}

// words returns up to two different words, nil for none.
func (g generator) words(prefix string) []string {
	var list []string
	for i := range g.IntN(3) {
		list = append(list, prefix+strconv.Itoa(i))
	}
	return list
}

// some returns a map of up to most entries, nil for none.
func some[V any](g generator, most int, key func() string, value func() V) map[string]V {
	var items map[string]V
	for range g.IntN(most + 1) {
		put(&items, key(), value())
	}
	return items
}
