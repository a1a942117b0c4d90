// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Network is what the team's pods may talk to.
type Network struct {
	// DefaultDeny closes everything, in and out, that the other fields do not open.
	// Without it everything is open.
	DefaultDeny bool
	// DNS opens the way to the cluster's DNS servers.
	DNS bool
	// SameNamespace lets the team's pods talk to each other.
	SameNamespace bool
	// IngressNamespaces may open connections to the team's pods, and the team's pods
	// may open connections to EgressNamespaces.
	IngressNamespaces, EgressNamespaces []string
	// IngressCIDRs and EgressCIDRs are the same for addresses, by CIDR.
	IngressCIDRs, EgressCIDRs map[string]Block
}

// Block narrows a CIDR.
type Block struct {
	// Except are CIDRs within the block that stay closed.
	Except []string
	// Ports are written as ParsePorts reads them; none stands for all.
	Ports []string
}

func (n Network) check(v *Violations, path Path) {
	if !n.DefaultDeny {
		n.checkOpen(v, path)
	}
	checkNamespaces(v, path.At("ingress_namespaces"), n.IngressNamespaces)
	checkNamespaces(v, path.At("egress_namespaces"), n.EgressNamespaces)
	checkBlocks(v, path.At("ingress_cidrs"), n.IngressCIDRs)
	checkBlocks(v, path.At("egress_cidrs"), n.EgressCIDRs)
}

// checkOpen refuses what has no effect where nothing is closed, because who wrote it
// believes that something is.
func (n Network) checkOpen(v *Violations, path Path) {
	for _, given := range []struct {
		attribute string
		present   bool
	}{
		{"dns", !n.DNS},
		{"same_namespace", !n.SameNamespace},
		{"ingress_namespaces", len(n.IngressNamespaces) > 0},
		{"egress_namespaces", len(n.EgressNamespaces) > 0},
		{"ingress_cidrs", len(n.IngressCIDRs) > 0},
		{"egress_cidrs", len(n.EgressCIDRs) > 0},
	} {
		if given.present {
			v.Add(path.At(given.attribute), fmt.Sprintf("Remove it, or set %s to true", path.At("default_deny")),
				"without default_deny everything is open, so this has no effect")
		}
	}
}

func checkNamespaces(v *Violations, path Path, namespaces []string) {
	checkEach(v, path, namespaces, func(path Path, namespace string) string {
		checkLabelName(v, path, namespace)
		return namespace
	})
}

func checkBlocks(v *Violations, path Path, blocks map[string]Block) {
	for _, cidr := range slices.Sorted(maps.Keys(blocks)) {
		at, block := path.At(Key(cidr)), blocks[cidr]
		outer, ok := checkCIDR(v, at, cidr)
		checkEach(v, at.At("except"), block.Except, func(path Path, except string) string {
			inner, innerOK := checkCIDR(v, path, except)
			if ok && innerOK && (inner.Bits() <= outer.Bits() || !outer.Contains(inner.Addr())) {
				v.Add(path, "Give a smaller block within "+cidr, "%s is not a part of %s", except, cidr)
			}
			return except
		})
		checkEach(v, at.At("ports"), block.Ports, func(path Path, text string) string {
			ports, err := ParsePorts(text)
			if err != nil {
				v.Add(path, `Write "443", "53/UDP" or "30000-32767/TCP"`, "%s", err)
				return text
			}
			return ports.String()
		})
	}
}

func checkCIDR(v *Violations, path Path, text string) (netip.Prefix, bool) {
	prefix, err := ParseCIDR(text)
	if err != nil {
		remedy := `Write an address and a length, such as "10.0.0.0/8" or "fd00::/8"`
		if prefix.IsValid() {
			remedy = "Write " + prefix.String()
		}
		v.Add(path, remedy, "%s", err)
	}
	return prefix, err == nil
}

// ParseCIDR reads a block of IPv4 or IPv6 addresses in its one canonical form. With an
// error it returns the canonical form that text stands for, where there is one, and
// else the zero Prefix.
func ParseCIDR(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is not a CIDR", text)
	}
	if canonical := prefix.Masked(); canonical.String() != text {
		return canonical, fmt.Errorf("%q is not the way to write the block %s", text, canonical)
	}
	return prefix, nil
}

// Ports is a range of ports of one protocol: TCP, UDP or SCTP.
type Ports struct {
	First, Last int64
	Protocol    string
}

// ParsePorts reads 443, 53/UDP or 30000-32767/TCP. No protocol stands for TCP.
func ParsePorts(text string) (Ports, error) {
	numbers, protocol, given := strings.Cut(text, "/")
	if !given {
		protocol = "TCP"
	}
	if !slices.Contains([]string{"TCP", "UDP", "SCTP"}, protocol) {
		return Ports{}, fmt.Errorf("%q is not a protocol: it is TCP, UDP or SCTP", protocol)
	}
	from, to, isRange := strings.Cut(numbers, "-")
	if !isRange {
		to = from
	}
	first, okFirst := parsePort(from)
	last, okLast := parsePort(to)
	switch {
	case !okFirst || !okLast:
		return Ports{}, fmt.Errorf("%q is not a port or a range of ports", text)
	case first > last:
		return Ports{}, fmt.Errorf("the range %q ends before it begins", text)
	}
	return Ports{First: first, Last: last, Protocol: protocol}, nil
}

func parsePort(text string) (int64, bool) {
	port, err := strconv.ParseInt(text, 10, 64)
	return port, err == nil && port > 0 && port <= 65535 && text[0] != '0' && text[0] != '+'
}

// String writes the ports as ParsePorts reads them, in the shortest way.
func (p Ports) String() string {
	text := strconv.FormatInt(p.First, 10)
	if p.Last != p.First {
		text += "-" + strconv.FormatInt(p.Last, 10)
	}
	if p.Protocol != "TCP" {
		text += "/" + p.Protocol
	}
	return text
}
