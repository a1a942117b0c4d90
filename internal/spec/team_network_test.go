// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"net/netip"
	"testing"
)

func TestParseCIDR(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8":  "10.0.0.0/8",
		"0.0.0.0/0":   "0.0.0.0/0",
		"::/0":        "::/0",
		"fd00::/8":    "fd00::/8",
		"10.0.0.1/32": "10.0.0.1/32",
	} {
		got, err := ParseCIDR(text)
		if err != nil || got.String() != want {
			t.Errorf("ParseCIDR(%q) = %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestParseCIDRSaysTheCanonicalForm(t *testing.T) {
	for text, want := range map[string]netip.Prefix{
		"10.0.0.1/8":          netip.MustParsePrefix("10.0.0.0/8"),
		"FD00::/8":            netip.MustParsePrefix("fd00::/8"),
		"fd00:0:0::1/64":      netip.MustParsePrefix("fd00::/64"),
		"10.0.0.0":            {},
		"10.0.0.0/33":         {},
		"10.0.0/8":            {},
		"010.0.0.0/8":         {},
		"::ffff:10.0.0.0/104": {},
		"fe80::%eth0/64":      {},
		"":                    {},
	} {
		got, err := ParseCIDR(text)
		if err == nil || got != want {
			t.Errorf("ParseCIDR(%q) = %s, %v, want an error and %s", text, got, err, want)
		}
	}
}

func TestParsePorts(t *testing.T) {
	for text, want := range map[string]Ports{
		"443":          {443, 443, "TCP"},
		"443/TCP":      {443, 443, "TCP"},
		"53/UDP":       {53, 53, "UDP"},
		"30000-32767":  {30000, 32767, "TCP"},
		"1-65535/SCTP": {1, 65535, "SCTP"},
		"80-80":        {80, 80, "TCP"},
	} {
		if got, err := ParsePorts(text); err != nil || got != want {
			t.Errorf("ParsePorts(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "0", "65536", "-1", "1-", "-", "1-2-3", "080", "+80", "80/ICMP", "80/", "https", "٣"} {
		if got, err := ParsePorts(text); err == nil {
			t.Errorf("ParsePorts(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzParseCIDR(f *testing.F) {
	for _, seed := range []string{"10.0.0.0/8", "10.0.0.1/8", "::/0", "fe80::%1/10", "1.2.3.4/032", "::ffff:1.2.3.4/128"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		prefix, err := ParseCIDR(text)
		switch {
		case err == nil && prefix.String() != text:
			t.Errorf("ParseCIDR accepts %q, which is written %s", text, prefix)
		case err != nil && prefix.IsValid():
			if _, again := ParseCIDR(prefix.String()); again != nil {
				t.Errorf("ParseCIDR(%q) advises %s, which it refuses: %v", text, prefix, again)
			}
		}
	})
}

func FuzzParsePorts(f *testing.F) {
	for _, seed := range []string{"443", "53/UDP", "1-2", "65536", "0", "1-2/SCTP", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ports, err := ParsePorts(text)
		if err != nil {
			return
		}
		if ports.First < 1 || ports.Last > 65535 || ports.First > ports.Last {
			t.Errorf("ParsePorts(%q) = %v", text, ports)
		}
		if again, err := ParsePorts(ports.String()); err != nil || again != ports {
			t.Errorf("%q is written %s, which reads %v, %v", text, ports, again, err)
		}
	})
}
