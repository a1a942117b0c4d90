// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// CheckLabelName says what is wrong with a DNS label (RFC 1123: at most 63 lower-case
// letters, digits and '-', no '-' at either end), or returns nil.
func CheckLabelName(name string) error {
	if len(name) > validation.DNS1123LabelMaxLength {
		return fmt.Errorf("the name has %d characters, the most is %d", len(name), validation.DNS1123LabelMaxLength)
	}
	if len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("%q is not a DNS label", name)
	}
	return nil
}

// LabelNameRemedy is the advice for every malformed name.
const LabelNameRemedy = `Use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends, such as "team-vision"`

func checkLabelName(v *Violations, path Path, name string) {
	if err := CheckLabelName(name); err != nil {
		v.Add(path, LabelNameRemedy, "%s", err)
	}
}

// checkSubdomain accepts dotted names (RFC 1123), as most cluster-wide objects may have.
func checkSubdomain(v *Violations, path Path, name string) {
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		v.Add(path, `Use lower-case letters, digits, "-" and ".", such as "team-high"`, "%q is not a DNS name", name)
	}
}

// checkResourceName accepts cpu and the qualified names (nvidia.com/gpu) alike.
func checkResourceName(v *Violations, path Path, name string) {
	if len(validation.IsQualifiedName(name)) > 0 {
		v.Add(path, `Use a resource name such as "cpu", "memory" or "nvidia.com/gpu"`, "%q is not a resource name", name)
	}
}

// isExtended says whether a resource is one that device plugins advertise: it has a
// domain, and the domain is not kubernetes.io.
func isExtended(name string) bool {
	domain, _, qualified := strings.Cut(name, "/")
	return qualified && domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io")
}

// LabelText makes a label's value out of a text that may be too long for one: its start, and a
// digest that tells it apart from others of the same start.
func LabelText(text string) string {
	const longest = 63 // characters, by Kubernetes
	if len(text) <= longest {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	digest := hex.EncodeToString(sum[:5])
	return strings.TrimRight(text[:longest-len(digest)-1], "-.") + "-" + digest
}
