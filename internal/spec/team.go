// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

// Team is the place of one team on a training platform: a namespace, what may run in
// it, who may use it and what it may talk to. The zero value of a part leaves it out.
type Team struct {
	// Name is the name of the team's namespace.
	Name string
	// Labels and Annotations are set on the namespace, next to those that the other
	// fields stand for.
	Labels, Annotations map[string]string
	// CostCenter is who pays; a label on the namespace.
	CostCenter string
	// Queue is the Volcano queue of the jobs that name none.
	Queue       string
	PodSecurity PodSecurity
	Quota       Quota
	Limits      Limits
	Members     Members
	Network     Network
	Registry    *Registry

	// DeleteRunningPods and DeleteBoundVolumes allow a deletion that ends work or
	// loses data. No object shows them.
	DeleteRunningPods, DeleteBoundVolumes bool
}

// PodSecurity holds the levels of the Pod Security Standards (privileged, baseline or
// restricted) that the namespace enforces, audits and warns about.
type PodSecurity struct {
	Enforce, Audit, Warn string
	// Version is the Kubernetes minor version whose rules count (v1.36), or latest.
	Version string
}

// The levels of the Pod Security Standards, the most open first.
const (
	LevelPrivileged = "privileged"
	LevelBaseline   = "baseline"
	LevelRestricted = "restricted"
)

// VersionLatest stands for the rules of the version that the cluster runs.
const VersionLatest = "latest"

// Registry is where the team's private images come from.
type Registry struct {
	// Server is the registry's host, with a port where it is not 443.
	Server, Username, Email string
	// Password is nil where it is not known: it is never read back.
	Password *string
	// PasswordVersion is a mark of the user's own; when it changes, so did the password.
	PasswordVersion string
}
