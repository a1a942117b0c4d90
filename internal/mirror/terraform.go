// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/chartstore"
)

// componentType is the resource that installs charts.
const componentType = "trainyard_component"

// shown is what we read of the output of terraform show -json, of a plan or of a state.
type shown struct {
	FormatVersion string  `json:"format_version"`
	Planned       *values `json:"planned_values"`
	Values        *values `json:"values"`
}

type values struct {
	Root module `json:"root_module"`
}

type module struct {
	Resources []resource `json:"resources"`
	Children  []module   `json:"child_modules"`
}

type resource struct {
	Address string          `json:"address"`
	Mode    string          `json:"mode"`
	Type    string          `json:"type"`
	Values  json.RawMessage `json:"values"`
}

// component is what we read of a trainyard_component. What is unknown before apply is absent.
type component struct {
	Catalog      string   `json:"catalog"`
	Images       []string `json:"images"`
	ChartVersion string   `json:"chart_version"`
	ChartDigest  string   `json:"chart_digest"`
	Chart        *struct {
		Repository string `json:"repository"`
		Registry   string `json:"registry"`
		Path       string `json:"path"`
		Name       string `json:"name"`
		Version    string `json:"version"`
		Digest     string `json:"digest"`
	} `json:"chart"`
}

// OfTerraform is what the components in a plan or a state need, from the output of
// terraform show -json.
func OfTerraform(in io.Reader, entries Catalog) (Need, error) {
	var show shown
	if err := json.NewDecoder(in).Decode(&show); err != nil {
		return Need{}, fmt.Errorf("read the plan: %w. Give the output of terraform show -json", err)
	}
	if major, _, _ := strings.Cut(show.FormatVersion, "."); major != "0" && major != "1" {
		return Need{}, errors.New("read the plan: this is not the output of terraform show -json, or of a form that is not known yet")
	}
	root := show.Planned
	if root == nil {
		root = show.Values
	}
	if root == nil {
		return Need{}, nil // an empty state
	}
	var need Need
	if err := need.addModule(root.Root, entries); err != nil {
		return Need{}, err
	}
	return need, need.settle()
}

func (n *Need) addModule(module module, entries Catalog) error {
	for _, resource := range module.Resources {
		if resource.Type != componentType || resource.Mode == "data" {
			continue
		}
		if err := n.addComponent(resource, entries); err != nil {
			return fmt.Errorf("%s: %w", resource.Address, err)
		}
	}
	for _, child := range module.Children {
		if err := n.addModule(child, entries); err != nil {
			return err
		}
	}
	return nil
}

func (n *Need) addComponent(resource resource, entries Catalog) error {
	var component component
	if err := json.Unmarshal(resource.Values, &component); err != nil {
		return fmt.Errorf("read its values: %w", err)
	}
	n.Images = append(n.Images, component.Images...)
	doubt := func(text string) { n.Doubts = append(n.Doubts, resource.Address+": "+text) }
	const missing = "name what is missing with --image"
	switch chart := component.Chart; {
	case component.Catalog != "":
		entry, err := entryNamed(entries, component.Catalog)
		if err != nil {
			return err
		}
		n.Images = append(n.Images, entry.Images...)
		source := component.over(entry.Chart)
		n.Charts = append(n.Charts, source)
		if source.Version != entry.Chart.Version && len(component.Images) == 0 {
			doubt("the catalogue knows the images of version " + entry.Chart.Version + " of its chart, not of " + source.Version + "; " + missing)
		}
		return nil
	case chart == nil:
		doubt("its chart is not known before apply")
		return nil
	case chart.Path != "": // it is here already
	default:
		source := component.over(chartstore.Source{Repository: chart.Repository, Registry: chart.Registry, Name: chart.Name})
		if violations := source.Check(); len(violations) > 0 {
			doubt("chart." + violations[0].Error())
			return nil
		}
		n.Charts = append(n.Charts, source)
	}
	if len(component.Images) == 0 {
		doubt("the images of its chart are known after it has been applied once; " + missing)
	}
	return nil
}

// over lays what the component says of version and digest over a source. A digest that an
// apply has recorded pins the chart as one that is written does.
func (c component) over(source chartstore.Source) chartstore.Source {
	if c.Chart != nil {
		if c.Chart.Version != "" && c.Chart.Version != source.Version {
			source.Version, source.Digest = c.Chart.Version, ""
		}
		if c.Chart.Digest != "" {
			source.Digest = c.Chart.Digest
		}
	}
	if source.Digest == "" && c.ChartVersion == source.Version {
		source.Digest = c.ChartDigest
	}
	return source
}
