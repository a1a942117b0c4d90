// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func policiesInto(t *spec.Team, deny, allow *Object) {
	if deny == nil && allow == nil {
		// Everything is open, so that the openings that are on by default count as given.
		t.Network = spec.Network{DNS: true, SameNamespace: true}
		return
	}
	n := &t.Network
	n.DefaultDeny = deny != nil
	if allow == nil {
		return
	}
	var same bool
	for _, rule := range children(allow.Object, "spec", "ingress") {
		ruleInto(rule, "from", &n.SameNamespace, &n.IngressNamespaces, &n.IngressCIDRs)
	}
	for _, rule := range children(allow.Object, "spec", "egress") {
		ruleInto(rule, "to", &same, &n.EgressNamespaces, &n.EgressCIDRs)
		n.DNS = n.DNS || opensDNS(rule)
	}
	n.SameNamespace = n.SameNamespace && same
}

// ruleInto reads one rule of one direction into the fields it stands for.
func ruleInto(rule map[string]any, peers string, same *bool, namespaces *[]string, blocks *map[string]spec.Block) {
	for _, peer := range children(rule, peers) {
		pods, selectsPods := peer["podSelector"].(map[string]any)
		namespace, named := selectedNamespace(peer)
		cidr := nested[string](peer, "ipBlock", "cidr")
		switch {
		case cidr != "":
			put(blocks, cidr, spec.Block{Except: texts(peer, "ipBlock", "except"), Ports: portTexts(rule)})
		case named && !selectsPods:
			*namespaces = append(*namespaces, namespace)
		case selectsPods && len(pods) == 0 && peer["namespaceSelector"] == nil:
			*same = true
		}
	}
}

func selectedNamespace(peer map[string]any) (string, bool) {
	name := nested[string](peer, "namespaceSelector", "matchLabels", labelNamespaceName)
	return name, name != ""
}

// opensDNS recognizes the rule that lets pods ask the cluster's DNS servers.
func opensDNS(rule map[string]any) bool {
	for _, peer := range children(rule, "to") {
		namespace, _ := selectedNamespace(peer)
		if namespace == dnsNamespace && nested[string](peer, "podSelector", "matchLabels", "k8s-app") == dnsPods["k8s-app"] {
			return true
		}
	}
	return false
}

func portTexts(rule map[string]any) []string {
	var list []string
	for _, port := range children(rule, "ports") {
		first := nested[int64](port, "port")
		ports := spec.Ports{First: first, Last: first, Protocol: nested[string](port, "protocol")}
		if last := nested[int64](port, "endPort"); last != 0 {
			ports.Last = last
		}
		list = append(list, ports.String())
	}
	return list
}
