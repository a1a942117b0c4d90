// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"maps"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// labelNamespaceName is the label that every namespace carries its own name in.
const labelNamespaceName = "kubernetes.io/metadata.name"

// dnsPods selects the DNS servers of a cluster, whichever software they run.
var dnsPods = map[string]any{"k8s-app": "kube-dns"}

const dnsNamespace = "kube-system"

// teamPolicies renders two policies: one that closes everything and one that holds all
// openings. An empty list of rules is rendered too: it is ours, so that a rule which
// somebody adds to it shows.
func teamPolicies(t spec.Team, o Owner) []*Object {
	n := t.Network
	if !n.DefaultDeny {
		return nil
	}
	list := []*Object{teamPolicy(DefaultDenyName, t, o, []any{}, []any{})}
	ingress := openings("from", n.SameNamespace, n.IngressNamespaces, n.IngressCIDRs)
	egress := openings("to", n.SameNamespace, n.EgressNamespaces, n.EgressCIDRs)
	if n.DNS {
		egress = append(egress, map[string]any{
			"to": []any{map[string]any{
				"namespaceSelector": namespaceSelector(dnsNamespace),
				"podSelector":       map[string]any{"matchLabels": dnsPods},
			}},
			"ports": []any{
				map[string]any{"port": int64(53), "protocol": "UDP"},
				map[string]any{"port": int64(53), "protocol": "TCP"},
			},
		})
	}
	if len(ingress)+len(egress) > 0 {
		list = append(list, teamPolicy(AllowName, t, o, ingress, egress))
	}
	return list
}

func teamPolicy(name string, t spec.Team, o Owner, ingress, egress []any) *Object {
	policy := teamObject("networking.k8s.io/v1", "NetworkPolicy", name, t, o)
	policy.Object["spec"] = map[string]any{
		"podSelector": map[string]any{},
		"policyTypes": []any{"Ingress", "Egress"},
		"ingress":     ingress,
		"egress":      egress,
	}
	return policy
}

// openings renders the rules of one direction; peers is "from" or "to".
func openings(peers string, sameNamespace bool, namespaces []string, blocks map[string]spec.Block) []any {
	rules := []any{}
	if sameNamespace {
		rules = append(rules, map[string]any{peers: []any{map[string]any{"podSelector": map[string]any{}}}})
	}
	if len(namespaces) > 0 {
		selectors := make([]any, len(namespaces))
		for i, namespace := range namespaces {
			selectors[i] = map[string]any{"namespaceSelector": namespaceSelector(namespace)}
		}
		rules = append(rules, map[string]any{peers: selectors})
	}
	for _, cidr := range slices.Sorted(maps.Keys(blocks)) {
		block := map[string]any{"cidr": cidr}
		if except := blocks[cidr].Except; len(except) > 0 {
			block["except"] = anys(except)
		}
		rule := map[string]any{peers: []any{map[string]any{"ipBlock": block}}}
		if ports := policyPorts(blocks[cidr].Ports); len(ports) > 0 {
			rule["ports"] = ports
		}
		rules = append(rules, rule)
	}
	return rules
}

func namespaceSelector(name string) map[string]any {
	return map[string]any{"matchLabels": map[string]any{labelNamespaceName: name}}
}

func policyPorts(list []string) []any {
	rendered := make([]any, 0, len(list))
	for _, text := range list {
		ports, err := spec.ParsePorts(text)
		if err != nil {
			continue // Validate has refused it
		}
		port := map[string]any{"port": ports.First, "protocol": ports.Protocol}
		if ports.Last != ports.First {
			port["endPort"] = ports.Last
		}
		rendered = append(rendered, port)
	}
	return rendered
}
