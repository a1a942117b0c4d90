// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"maps"
	"slices"
)

// Restated returns t, read back from a cluster, in the words of prior: where both mean
// the same, prior's way to write it is kept (1000m for 1), so that only what differs
// shows. What a cluster cannot tell (who may delete, labels that others added) is
// prior's too.
func (t Team) Restated(prior Team) Team {
	t.Labels = known(t.Labels, prior.Labels)
	t.Annotations = known(t.Annotations, prior.Annotations)
	t.Quota = t.Quota.restated(prior.Quota)
	t.Limits = t.Limits.restated(prior.Limits)
	t.Members = t.Members.restated(prior.Members, t.Name)
	t.Network = t.Network.restated(prior.Network)
	if t.Registry != nil && prior.Registry != nil {
		registry := *t.Registry
		registry.Password = prior.Registry.Password
		t.Registry = &registry
	}
	t.DeleteRunningPods, t.DeleteBoundVolumes = prior.DeleteRunningPods, prior.DeleteBoundVolumes
	return t
}

// known keeps the entries that prior has too: others belong to other tools.
func known(observed, prior map[string]string) map[string]string {
	if len(prior) == 0 {
		return prior
	}
	kept := make(map[string]string, len(prior))
	for key := range prior {
		if value, ok := observed[key]; ok {
			kept[key] = value
		}
	}
	return kept
}

// emptyLike says that nothing stands in the way that prior says it: an empty map stays
// an empty map.
func emptyLike[M ~map[K]V, K comparable, V any](prior M) M {
	if len(prior) == 0 {
		return prior
	}
	return nil
}

func (r Resources) restated(prior Resources) Resources {
	if len(r) == 0 {
		return emptyLike(prior)
	}
	words := maps.Clone(r)
	for name, text := range r {
		words[name] = restatedQuantity(text, prior[name])
	}
	return words
}

func (r Resources) equal(other Resources) bool {
	return maps.EqualFunc(r, other, EqualQuantities)
}

func restatedQuantity(text, prior string) string {
	if text != "" && prior != "" && EqualQuantities(text, prior) {
		return prior
	}
	return text
}

func (q Quota) restated(prior Quota) Quota {
	q.Requests = q.Requests.restated(prior.Requests)
	q.Limits = q.Limits.restated(prior.Limits)
	if len(q.Objects) == 0 {
		q.Objects = emptyLike(prior.Objects)
	}
	q.Storage.Total = restatedQuantity(q.Storage.Total, prior.Storage.Total)
	if len(q.Storage.Classes) == 0 {
		q.Storage.Classes = emptyLike(prior.Storage.Classes)
		return q
	}
	q.Storage.Classes = maps.Clone(q.Storage.Classes)
	for class, amount := range q.Storage.Classes {
		amount.Total = restatedQuantity(amount.Total, prior.Storage.Classes[class].Total)
		q.Storage.Classes[class] = amount
	}
	return q
}

// restated compares containers with their defaults filled in: a user may give a
// default that would follow anyway.
func (l Limits) restated(prior Limits) Limits {
	if l.Container.Complete().equal(prior.Container.Complete()) {
		l.Container = prior.Container
	}
	l.Pod = PodLimits{
		Min:      l.Pod.Min.restated(prior.Pod.Min),
		Max:      l.Pod.Max.restated(prior.Pod.Max),
		MaxRatio: l.Pod.MaxRatio.restated(prior.Pod.MaxRatio),
	}
	l.Claim.Min = restatedQuantity(l.Claim.Min, prior.Claim.Min)
	l.Claim.Max = restatedQuantity(l.Claim.Max, prior.Claim.Max)
	return l
}

func (c ContainerLimits) equal(other ContainerLimits) bool {
	return c.Default.equal(other.Default) && c.DefaultRequest.equal(other.DefaultRequest) &&
		c.Min.equal(other.Min) && c.Max.equal(other.Max) && c.MaxRatio.equal(other.MaxRatio)
}

func (m Members) restated(prior Members, home string) Members {
	words := make(Members, len(m))
	for _, role := range Roles {
		subjects, isHeld := m[role]
		before, wasHeld := prior[role]
		subjects.Users = restatedList(subjects.Users, before.Users, same)
		subjects.Groups = restatedList(subjects.Groups, before.Groups, same)
		subjects.ServiceAccounts = restatedList(subjects.ServiceAccounts, before.ServiceAccounts, func(text string) string {
			namespace, name := ServiceAccount(text, home)
			return namespace + "/" + name
		})
		if isHeld || wasHeld && before.Empty() {
			words[role] = subjects
		}
	}
	if len(words) == 0 {
		return emptyLike(prior)
	}
	return words
}

func (n Network) restated(prior Network) Network {
	n.IngressNamespaces = restatedList(n.IngressNamespaces, prior.IngressNamespaces, same)
	n.EgressNamespaces = restatedList(n.EgressNamespaces, prior.EgressNamespaces, same)
	n.IngressCIDRs = restatedBlocks(n.IngressCIDRs, prior.IngressCIDRs)
	n.EgressCIDRs = restatedBlocks(n.EgressCIDRs, prior.EgressCIDRs)
	return n
}

func restatedBlocks(blocks, prior map[string]Block) map[string]Block {
	if len(blocks) == 0 {
		return emptyLike(prior)
	}
	words := make(map[string]Block, len(blocks))
	for cidr, block := range blocks {
		block.Except = restatedList(block.Except, prior[cidr].Except, same)
		block.Ports = restatedList(block.Ports, prior[cidr].Ports, func(text string) string {
			ports, err := ParsePorts(text)
			if err != nil {
				return text
			}
			return ports.String()
		})
		words[cidr] = block
	}
	return words
}

func same(text string) string { return text }

// restatedList returns prior where both lists mean the same, item by item.
func restatedList(list, prior []string, meaning func(string) string) []string {
	if slices.EqualFunc(list, prior, func(a, b string) bool { return meaning(a) == meaning(b) }) {
		return prior
	}
	return list
}
