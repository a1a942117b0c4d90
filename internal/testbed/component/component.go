// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package component builds the programs of the control plane from the modules
// that go.mod pins, and keeps them by version outside the source tree.
package component

import (
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed"
)

// Component is one program that the testbed builds.
type Component struct {
	// Name is the program's usual name, such as "kube-apiserver".
	Name string
	// Package is the import path of its main package.
	Package string
	// Module is the module whose version is the program's version.
	Module string
}

// The programs of the control plane, in the order in which they are built.
var (
	Etcd              = Component{"etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"}
	APIServer         = kubernetes("kube-apiserver")
	ControllerManager = kubernetes("kube-controller-manager")
	Scheduler         = kubernetes("kube-scheduler")
	Kwok              = Component{"kwok", "sigs.k8s.io/kwok/cmd/kwok", "sigs.k8s.io/kwok"}
)

// All returns every component.
func All() []Component {
	return []Component{Etcd, Kwok, APIServer, ControllerManager, Scheduler}
}

func kubernetes(name string) Component {
	return Component{name, "k8s.io/kubernetes/cmd/" + name, "k8s.io/kubernetes"}
}

// Version returns the component's version as go.mod pins it.
func (c Component) Version() (string, error) {
	return testbed.Version(c.Module)
}

// stamps returns the linker's -X values that make the program report version.
// Without them a program from the module proxy calls itself
// "v0.0.0-master+$Format:%H$", which version-checking clients refuse.
func (c Component) stamps(version string) []string {
	switch c.Module {
	case "k8s.io/kubernetes":
		major, minor := majorMinor(version)
		var stamps []string
		for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
			stamps = append(stamps,
				pkg+".gitVersion="+version,
				pkg+".gitMajor="+major,
				pkg+".gitMinor="+minor,
				pkg+".gitTreeState=clean",
			)
		}
		return stamps
	case "sigs.k8s.io/kwok":
		return []string{"sigs.k8s.io/kwok/pkg/consts.Version=" + strings.TrimPrefix(version, "v")}
	default:
		return nil // etcd's version is a constant of its source
	}
}

// ldflags returns the linker flags for the component at a version.
func (c Component) ldflags(version string) string {
	flags := []string{"-s", "-w"}
	for _, stamp := range c.stamps(version) {
		flags = append(flags, "-X", stamp)
	}
	return strings.Join(flags, " ")
}

func majorMinor(version string) (major, minor string) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return "", ""
	}
	return parts[0], parts[1]
}
