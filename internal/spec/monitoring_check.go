// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"maps"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What the Prometheus operator's definition of a Prometheus takes.
var (
	retention     = regexp.MustCompile(`^([1-9]\d{0,4}y)?([1-9]\d{0,4}w)?([1-9]\d{0,4}d)?([1-9]\d{0,4}h)?([1-9]\d{0,4}m)?([1-9]\d{0,4}s)?$`)
	retentionSize = regexp.MustCompile(`^(\d{1,6}\.)?\d{1,6}([KMGTPE]i?)?B$`)
	metricLabel   = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	headerName    = regexp.MustCompile(`^[a-zA-Z0-9-]+$`)
)

// Validate finds what is wrong with it.
func (p Prometheus) Validate() (v Violations) {
	if p.Retention != "" && !retention.MatchString(p.Retention) {
		v.Add(Path{"retention"}, `Write it as Prometheus does, such as "30d" or "1y"`, "%q is not a time to keep samples", p.Retention)
	}
	if p.RetentionSize != "" && !retentionSize.MatchString(p.RetentionSize) {
		v.Add(Path{"retention_size"}, `Write it as Prometheus does, such as "450GB"`, "%q is not a size", p.RetentionSize)
	}
	if p.Storage != nil {
		p.Storage.check(&v, Path{"storage"})
	}
	for _, name := range slices.Sorted(maps.Keys(p.RemoteWrite)) {
		at := Path{"remote_write", Key(name)}
		checkLabelName(&v, at, name)
		p.RemoteWrite[name].check(&v, at)
	}
	for _, name := range slices.Sorted(maps.Keys(p.ExternalLabels)) {
		if !metricLabel.MatchString(name) || strings.HasPrefix(name, "__") {
			v.Add(Path{"external_labels", Key(name)}, `Use letters, digits and "_"`, "%q is not the name of a label", name)
		}
	}
	return v
}

func (s Volume) check(v *Violations, at Path) {
	if s.Class != "" {
		checkSubdomain(v, at.At("class"), s.Class)
	}
	switch size, err := ParseQuantity(s.Size); {
	case err != nil:
		v.Add(at.At("size"), quantityRemedy, "%s", err)
	case size.IsZero():
		v.Add(at.At("size"), `Give a size, such as "200Gi"`, "a volume of 0 bytes holds nothing")
	}
}

func (r RemoteWrite) check(v *Violations, at Path) {
	checkAddress(v, at.At("url"), r.URL)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		switch here := at.At("headers", Key(name)); {
		case !headerName.MatchString(name):
			v.Add(here, `Use letters, digits and "-"`, "%q is not the name of a header", name)
		case strings.EqualFold(name, "Authorization"):
			v.Add(here, "Set username and password_wo instead", "a header is no secret, and this one holds one")
		}
	}
}

// checkAddress accepts the address of an HTTP server that holds no password.
func checkAddress(v *Violations, at Path, text string) {
	address, err := url.Parse(text)
	switch {
	case err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		v.Add(at, `Write it such as "https://metrics.example.com/api/v1/write"`, "it is not the address of an HTTP server")
	case address.User != nil:
		v.Add(at, "Give them as username and password_wo", "the address holds a name or a password, and would be kept in the state")
	}
}

// ValidateReceivers checks receivers. Paths begin with the name of one.
func ValidateReceivers(receivers map[string]Receiver) (v Violations) {
	for _, name := range slices.Sorted(maps.Keys(receivers)) {
		at, r := Path{Key(name)}, receivers[name]
		checkLabelName(&v, at, name)
		if name == NoReceiver {
			v.Add(at, "Use another name", "%q is the receiver of what nobody gets", name)
		}
		if r.Slack == nil && r.Email == nil && r.Webhook == nil && r.PagerDuty == nil {
			v.Add(at, "Set slack, email, webhook or pagerduty", "there is no way to reach it")
		}
		if r.Email != nil {
			r.Email.check(&v, at.At("email"))
		}
		if r.Webhook != nil && r.Webhook.URL != "" {
			checkAddress(&v, at.At("webhook", "url"), r.Webhook.URL)
		}
	}
	return v
}

// NoReceiver is the name of the receiver of alerts that nobody gets.
const NoReceiver = "null"

func (e Email) check(v *Violations, at Path) {
	if _, err := mail.ParseAddressList(e.To); err != nil {
		v.Add(at.At("to"), `Write an address, or several with "," between them`, "%q is not an address", e.To)
	}
	if _, err := mail.ParseAddress(e.From); err != nil {
		v.Add(at.At("from"), `Write an address such as "alerts@example.com"`, "%q is not an address", e.From)
	}
	host, port, err := net.SplitHostPort(e.Smarthost)
	if number, errPort := strconv.Atoi(port); err != nil || errPort != nil || host == "" || number < 1 || number > 65535 {
		v.Add(at.At("smarthost"), `Write host and port, such as "smtp.example.com:587"`, "%q is not the address of a mail server", e.Smarthost)
	}
}
