// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package helm installs charts and keeps them as they were installed. It is the only importer
// of the Helm SDK, of which it uses what reads charts, merges values, renders templates and
// describes a release; what is written to the cluster goes through package kube.
//
// A release is stored as Helm stores it, so that the helm command lists, shows and rolls back
// what Trainyard installed, and Trainyard takes over what the helm command installed.
package helm

import (
	"io/fs"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
)

// Name says which release of a cluster.
type Name struct{ Namespace, Name string }

func (n Name) String() string { return "release " + n.Namespace + "/" + n.Name }

// Engine installs charts on one cluster.
type Engine struct {
	Cluster *kube.Cluster
	Charts  *chartstore.Store
}

// Want is what a release shall be.
type Want struct {
	Name
	Owner objects.Owner
	Chart chartstore.Source
	// Own is a chart that is part of this program, in place of Chart.
	Own fs.FS
	// Values are laid over those of the chart, Secret over them; Secret is never remembered
	// outside Helm's own record of the release.
	Values, Secret map[string]any
	// Secrets changes when Secret shall be applied anew.
	Secrets string
	Options
	Mask redact.Masker
}

// Options are how a release is installed, not what.
type Options struct {
	CreateNamespace bool
	// CRDs is what happens to the definitions in a chart's crds folder.
	CRDs CRDPolicy
	// SkipHooks leaves the chart's hooks out; NoWait does not wait for what was made.
	SkipHooks, NoWait bool
	// History is how many revisions are kept.
	History int
	// Rollback: a failed upgrade is followed by a return to the revision before.
	Rollback bool
	// Lose names the data that may go with the release.
	Lose Lose
}

// CRDPolicy is what happens to the definitions in a chart's crds folder.
type CRDPolicy string

// The policies.
const (
	CRDsApply CRDPolicy = "apply"  // made and brought up to date with the chart
	CRDsOnce  CRDPolicy = "create" // made where they are missing, as Helm does
	CRDsSkip  CRDPolicy = "skip"
)

// Lose names the data that may be deleted with a release: by default its definitions (and
// with them every object of their kinds) and its volumes stay.
type Lose struct{ CRDs, Volumes bool }

// Record is what is remembered of a release between two runs: enough to tell, from metadata
// alone, whether anything of it has changed.
type Record struct {
	// Revision is that of our last write; 0: none.
	Revision int `json:"revision,omitempty"`
	// Inputs identifies chart, values and options, secrets aside.
	Inputs string `json:"inputs,omitempty"`
	Held   []Held `json:"held,omitempty"`
	// Secret are the paths of the secret values, not the values: they stand in Helm's record.
	Secret [][]string `json:"secret,omitempty"`
	// Adopted: the release was made by somebody else and nothing was applied since.
	Adopted bool `json:"adopted,omitempty"`
}

// Held is one object of a release.
type Held struct {
	APIVersion string `json:"v"`
	Kind       string `json:"k"`
	Resource   string `json:"r"`
	Namespaced bool   `json:"s,omitempty"`
	Namespace  string `json:"ns,omitempty"`
	Name       string `json:"n"`
	UID        string `json:"u"`
	// Print identifies who owns which of its fields (plan.Print); Scaled: we own its replicas.
	Print  string `json:"p"`
	Scaled bool   `json:"sc,omitempty"`
}

// Outcome is how a release stands after a run.
type Outcome struct {
	Record   Record
	State    State
	Reason   string
	Revision int
	// ChartVersion, AppVersion and Digest are those of the installed chart.
	ChartVersion, AppVersion, Digest string
	// Images are those that its objects run.
	Images []string
	// Touched: something was written, so that a failure must not lose the release.
	Touched bool
	// Changed says what was done, one line an object.
	Changed []string
}
