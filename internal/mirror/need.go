// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package mirror carries charts and images to where there is no network: it says which are
// needed, fills a folder with them, and loads the folder into a registry. What it has
// carried is checked by digest on either side, and a run that was interrupted goes on where
// it stopped.
//
// A folder holds
//
//	mirror.json                    what is in it, with digests
//	https/… oci/… http/…           charts, as chartstore looks for them in a folder
//	images/                        an OCI image layout (index.json, blobs/sha256/…)
package mirror

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

// Entry is what an entry of the catalogue needs.
type Entry struct {
	Chart  chartstore.Source
	Images []string
}

// Catalog is what Need asks of the catalogue.
type Catalog interface {
	// Names lists the entries, sorted.
	Names() []string
	// Entry is one of them.
	Entry(name string) (Entry, bool)
}

// Need is what a configuration or a part of the catalogue needs.
type Need struct {
	// Charts come from repositories and registries; sorted, each once.
	Charts []chartstore.Source
	// Images are full references (docker.io/library/nginx:1.29); sorted, each once.
	Images []string
	// Doubts say what could not be determined.
	Doubts []string
}

// OfCatalog is what the named entries need; no name is all of them.
func OfCatalog(entries Catalog, names ...string) (Need, error) {
	if len(names) == 0 {
		names = entries.Names()
	}
	var need Need
	for _, name := range names {
		entry, err := entryNamed(entries, name)
		if err != nil {
			return Need{}, err
		}
		need.Charts = append(need.Charts, entry.Chart)
		need.Images = append(need.Images, entry.Images...)
	}
	return need, need.settle()
}

func entryNamed(entries Catalog, name string) (Entry, error) {
	entry, ok := entries.Entry(name)
	if !ok {
		return Entry{}, fmt.Errorf("the catalogue has no %q. It has %s", name, strings.Join(entries.Names(), ", "))
	}
	return entry, nil
}

// Add joins what another one needs.
func (n *Need) Add(other Need) error {
	n.Charts = append(n.Charts, other.Charts...)
	n.Images = append(n.Images, other.Images...)
	n.Doubts = append(n.Doubts, other.Doubts...)
	return n.settle()
}

// settle sorts, drops what is there twice, and writes images in full.
func (n *Need) settle() error {
	for i, image := range n.Images {
		full, err := catalog.ParseReference(image)
		if err != nil {
			return err
		}
		n.Images[i] = full.String()
	}
	slices.Sort(n.Images)
	n.Images = slices.Compact(n.Images)
	// Those with a digest come first, so that the pinned one of two alike stays.
	slices.SortFunc(n.Charts, func(a, b chartstore.Source) int {
		return cmp.Or(strings.Compare(coordinate(a), coordinate(b)), strings.Compare(b.Digest, a.Digest))
	})
	kept := n.Charts[:0]
	for _, chart := range n.Charts {
		if last := len(kept) - 1; last >= 0 && coordinate(kept[last]) == coordinate(chart) {
			if chart.Digest != "" && chart.Digest != kept[last].Digest {
				return fmt.Errorf("%s is needed with two digests, %s and %s. One of the two is out of date", chart, chart.Digest, kept[last].Digest)
			}
			continue
		}
		kept = append(kept, chart)
	}
	n.Charts = kept
	slices.Sort(n.Doubts)
	n.Doubts = slices.Compact(n.Doubts)
	return nil
}

// coordinate tells charts apart.
func coordinate(chart chartstore.Source) string {
	return chart.Repository + chart.Registry + " " + chart.Name + " " + chart.Version
}
