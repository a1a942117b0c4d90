// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Part is a release as one part of a resource.
type Part struct {
	Engine
	// Label names the part, After those that have to stand before it.
	Label string
	After []string
	// Want is what the release shall be. To remove one, its owner and options suffice.
	Want Want
	// At is where the configuration says what the release is, for errors.
	At spec.Path
	// Ready, where set, says why what the release serves does not answer yet; "": it does.
	Ready func(ctx context.Context) (unready string, err error)
}

var _ assembly.Part = Part{}

// partRecord is what a part remembers of its release.
type partRecord struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Chart and Digest are those that were applied.
	Chart  string `json:"chart"`
	Digest string `json:"digest"`
	Record Record `json:"record"`
}

// Name names the part.
func (p Part) Name() string { return p.Label }

// Needs are the parts that have to stand before this one.
func (p Part) Needs() []string { return p.After }

func readPart(raw json.RawMessage) (record partRecord, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &record)
	}
	return record, err
}

func (r partRecord) release() Name { return Name{Namespace: r.Namespace, Name: r.Name} }

// with pins the digest that was recorded, as long as the same version of the same chart is wanted.
func (p Part) with(record partRecord) Want {
	want := p.Want
	if want.Own == nil && want.Chart.Digest == "" && want.Chart.Path == "" && want.Chart.String() == record.Chart {
		want.Chart.Digest = record.Digest
	}
	return want
}

// Observe says how the release stands.
func (p Part) Observe(ctx context.Context, raw json.RawMessage) (assembly.Standing, error) {
	record, err := readPart(raw)
	if err != nil {
		return assembly.Standing{}, err
	}
	standing, err := p.Engine.Observe(ctx, record.release(), p.Want.Owner, record.Record)
	if err != nil || standing.State == Absent {
		return assembly.Standing{Gone: standing.State == Absent}, err
	}
	found := assembly.Standing{Drift: standing.Drift}
	switch standing.State {
	case InSync, Drifted:
		if p.outdated(ctx, record) {
			found.Drift = append(found.Drift, fmt.Sprintf("%s: what it is made of has changed: the chart, the catalogue or the mirror of its images", record.release()))
		}
	default:
		found.Unready = fmt.Sprintf("%s: %s", standing.State, standing.Reason)
	}
	record.Record = standing.Record
	found.Record, err = json.Marshal(record)
	return found, err
}

// outdated says whether what goes into a release beside its configuration has changed since it
// was applied. A chart that cannot be read now changes nothing of what stands.
func (p Part) outdated(ctx context.Context, record partRecord) bool {
	digest := record.Digest
	if p.Want.Own != nil || p.Want.Chart.Path != "" {
		_, found, err := p.fetch(ctx, p.Want)
		if err != nil {
			return false
		}
		digest = found.Digest
	}
	return p.Want.Inputs(digest) != record.Record.Inputs
}

// Preview says what Apply would do.
func (p Part) Preview(ctx context.Context, raw json.RawMessage, found []string) ([]string, error) {
	record, err := readPart(raw)
	if err != nil {
		return nil, err
	}
	if p.Cluster == nil {
		preview, err := p.PreviewOffline(ctx, p.with(record))
		return preview.Changes, p.place(err)
	}
	var lines []string
	if p.moved(record) {
		lines, record = []string{"delete " + record.release().String()}, partRecord{}
	}
	preview, err := p.Engine.Preview(ctx, p.with(record), record.Record, found)
	return append(lines, preview.Changes...), p.place(err)
}

// place moves an error to the argument that it is about.
func (p Part) place(err error) error {
	place := spec.PlaceOf(err)
	if place == nil || len(p.At) == 0 {
		return err
	}
	return &spec.Located{Path: slices.Concat(p.At, place), Err: err}
}

// moved says whether the release stands under another name or in another namespace than wanted.
func (p Part) moved(record partRecord) bool {
	return record.Name != "" && record.release() != p.Want.Name
}

// Apply installs, upgrades or repairs the release.
func (p Part) Apply(ctx context.Context, raw json.RawMessage) (assembly.Outcome, error) {
	record, err := readPart(raw)
	if err != nil {
		return assembly.Outcome{Record: raw}, err
	}
	if p.moved(record) {
		if _, err := p.Remove(ctx, raw); err != nil {
			return assembly.Outcome{Record: raw}, fmt.Errorf("uninstall %s, which is wanted elsewhere now: %w", record.release(), err)
		}
		record = partRecord{}
	}
	out, err := p.Converge(ctx, p.with(record), record.Record)
	made := assembly.Outcome{Touched: out.Touched, Changed: out.Changed, Record: raw}
	err = p.place(err)
	if out.Record.Revision == 0 {
		return made, err
	}
	if err == nil && p.Ready != nil {
		err = p.await(ctx)
	}
	next := partRecord{Namespace: p.Want.Namespace, Name: p.Want.Name.Name, Chart: p.Want.Chart.String(), Digest: out.Digest, Record: out.Record}
	encoded, errJSON := json.Marshal(next)
	if errJSON != nil {
		return made, errJSON
	}
	made.Record = encoded
	return made, err
}

// Remove uninstalls the release.
func (p Part) Remove(ctx context.Context, raw json.RawMessage) ([]string, error) {
	record, err := readPart(raw)
	if err != nil {
		return nil, err
	}
	want := p.Want
	want.Name = record.release()
	return p.Engine.Remove(ctx, want)
}

func (p Part) await(ctx context.Context) error {
	return kube.Await(ctx, p.Label+" to answer", func(ctx context.Context) (bool, string, error) {
		unready, err := p.Ready(ctx)
		return unready == "" && err == nil, unready, err
	})
}
