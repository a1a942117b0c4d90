// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Validate says what of t cannot be accepted, with the paths of the Terraform schema.
func (t Team) Validate() Violations {
	var v Violations
	checkTeamName(&v, t.Name)
	checkMetadata(&v, Path{"labels"}, t.Labels, checkLabelValue)
	checkMetadata(&v, Path{"annotations"}, t.Annotations, nil)
	if t.CostCenter != "" {
		checkLabelValue(&v, Path{"cost_center"}, t.CostCenter)
	}
	if t.Queue != "" && len(validation.IsDNS1123Subdomain(t.Queue)) > 0 {
		v.Add(Path{"queue"}, "Give the name of a Volcano queue, such as \"research\"", "%q cannot be the name of a queue", t.Queue)
	}
	t.PodSecurity.check(&v, Path{"pod_security"})
	t.Quota.check(&v, Path{"quota"})
	t.Limits.check(&v, Path{"limits"})
	t.Members.check(&v, Path{"members"}, t.Name)
	t.Network.check(&v, Path{"network"})
	t.Registry.check(&v, Path{"registry"})
	return v
}

func checkTeamName(v *Violations, name string) {
	checkLabelName(v, Path{"name"}, name)
	if name == "default" || strings.HasPrefix(name, "kube-") {
		v.Add(Path{"name"}, "Give the team a namespace of its own, such as \"team-vision\"",
			"the namespace %q belongs to Kubernetes itself", name)
	}
}

// metadataOwners names the attribute that stands for a label or annotation, where one does.
var metadataOwners = map[string]string{
	"trainyard.io/cost-center":           "cost_center",
	"scheduling.volcano.sh/queue-name":   "queue",
	"pod-security.kubernetes.io/enforce": "pod_security.enforce",
	"pod-security.kubernetes.io/audit":   "pod_security.audit",
	"pod-security.kubernetes.io/warn":    "pod_security.warn",
}

// ReservedMetadata says whether the label or annotation of a namespace is written by
// Trainyard or by Kubernetes itself, so that a user cannot set it.
func ReservedMetadata(key string) bool {
	if _, owned := metadataOwners[key]; owned || key == "app.kubernetes.io/managed-by" {
		return true
	}
	domain, _, qualified := strings.Cut(key, "/")
	if !qualified {
		return false
	}
	for _, reserved := range [...]string{"trainyard.io", "pod-security.kubernetes.io"} {
		if domain == reserved || strings.HasSuffix(domain, "."+reserved) {
			return true
		}
	}
	return domain == "kubernetes.io" || domain == "kubectl.kubernetes.io"
}

func checkMetadata(v *Violations, path Path, metadata map[string]string, value func(*Violations, Path, string)) {
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		at := path.At(Key(key))
		switch {
		case ReservedMetadata(key):
			remedy := "Remove it"
			if attribute, ok := metadataOwners[key]; ok {
				remedy = "Use " + attribute
			}
			v.Add(at, remedy, "%q is set by Trainyard or by Kubernetes itself", key)
		case len(validation.IsQualifiedName(key)) > 0:
			v.Add(at, `Use a name such as "stage" or "example.com/stage"`, "%q is not a key", key)
		}
		if value != nil {
			value(v, at, metadata[key])
		}
	}
}

func checkLabelValue(v *Violations, path Path, value string) {
	if len(validation.IsValidLabelValue(value)) > 0 {
		v.Add(path, `Use at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends`,
			"%q is not the value of a label", value)
	}
}

var podSecurityVersion = regexp.MustCompile(`^(latest|v1\.(0|[1-9][0-9]{0,2}))$`)

func (p PodSecurity) check(v *Violations, path Path) {
	levels := []string{LevelPrivileged, LevelBaseline, LevelRestricted}
	for _, mode := range []struct{ attribute, level string }{
		{"enforce", p.Enforce}, {"audit", p.Audit}, {"warn", p.Warn},
	} {
		if !slices.Contains(levels, mode.level) {
			v.Add(path.At(mode.attribute), "Use one of "+strings.Join(levels, ", "), "%q is not a Pod Security level", mode.level)
		}
	}
	if !podSecurityVersion.MatchString(p.Version) {
		v.Add(path.At("version"), `Use "latest" or a minor version such as "v1.36"`, "%q is not a version of Kubernetes", p.Version)
	}
}

// registryServer is a host with an optional port and path, as image names begin.
var registryServer = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._/-]+)?$`)

func (r *Registry) check(v *Violations, path Path) {
	if r == nil {
		return
	}
	if !registryServer.MatchString(strings.TrimPrefix(r.Server, "https://")) {
		v.Add(path.At("server"), `Give the host that image names begin with, such as "registry.example.com:5000"`,
			"%q is not a registry", r.Server)
	}
	if r.Username == "" || strings.Contains(r.Username, ":") {
		v.Add(path.At("username"), "Give the name of a user or robot account", "a user name is not empty and has no colon in it")
	}
	if r.Password != nil && *r.Password == "" {
		v.Add(path.At("password"), "Give the password or token", "the password is empty")
	}
}
