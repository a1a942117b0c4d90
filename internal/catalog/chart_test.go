// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/Masterminds/semver/v3"
	"github.com/google/go-cmp/cmp"
)

func TestDecodeChartIsStrict(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"an unknown key", "name: a\nlicence: MIT", `unknown field "licence"`},
		{"a key twice", "name: a\nname: b", "already set"},
		{"a list for a text", "name: [a]", "cannot unmarshal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := DecodeChart([]byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestReadChartsNamesTheFile(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"an entry in another's file", "name: other", `charts/example.yaml: holds the entry "other"`},
		{"what is no entry", "nam: example", "charts/example.yaml: reading a chart"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readCharts(fstest.MapFS{"charts/example.yaml": {Data: []byte(test.text)}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestChartsAreSortedAndFoundByName(t *testing.T) {
	charts := Charts()
	if !slices.IsSortedFunc(charts, func(a, b Chart) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the entries are not sorted by name")
	}
	for at, chart := range charts {
		if at > 0 && charts[at-1].Name == chart.Name {
			t.Errorf("two entries are named %s", chart.Name)
		}
		found, ok := ChartNamed(chart.Name)
		if diff := cmp.Diff(chart, found); !ok || diff != "" {
			t.Errorf("%s is not found by its name: %s", chart.Name, diff)
		}
	}
	if _, ok := ChartNamed("no-such-chart"); ok {
		t.Error("a chart that is not there was found")
	}
}

func TestRangesTakeInWhatCloudsRun(t *testing.T) {
	for _, chart := range Charts() {
		kubernetes, err := semver.NewConstraint(chart.Kubernetes)
		if err != nil {
			t.Errorf("%s: kubernetes %q: %v", chart.Name, chart.Kubernetes, err)
			continue
		}
		for _, version := range []string{"v1.33.0", "v1.33.4-gke.1036000", "v1.33.1-eks-1de2ab1"} {
			if !kubernetes.Check(semver.MustParse(version)) {
				t.Errorf("%s: the range %q leaves out %s", chart.Name, chart.Kubernetes, version)
			}
		}
		if !chart.Installable() {
			continue
		}
		version, err := semver.NewVersion(chart.Source.Version)
		if err != nil {
			t.Errorf("%s: version %q: %v", chart.Name, chart.Source.Version, err)
			continue
		}
		if chart.Source.Follow == "" {
			continue
		}
		follow, err := semver.NewConstraint(chart.Source.Follow)
		if err != nil || !follow.Check(version) {
			t.Errorf("%s: version %s is not in what it follows, %q (%v)", chart.Name, version, chart.Source.Follow, err)
		}
	}
}

func TestDefinitionsAreNamedOnce(t *testing.T) {
	for _, chart := range Charts() {
		names := chart.CRDNames()
		slices.Sort(names)
		if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
			t.Errorf("%s names a definition twice: %v", chart.Name, names)
		}
		for _, crds := range chart.CRDs {
			if !slices.IsSorted(crds.Names) {
				t.Errorf("%s: definitions from %s are not sorted", chart.Name, crds.From)
			}
		}
	}
}

// A path that leads through another's value would replace it.
func TestNoValueStandsInTheWayOfAnother(t *testing.T) {
	for _, chart := range Charts() {
		set := map[string]bool{}
		for _, value := range chart.Values {
			if set[value.Path] {
				t.Errorf("%s sets %s twice", chart.Name, value.Path)
			}
			set[value.Path] = true
		}
		paths := slices.Collect(maps.Keys(set))
		for _, image := range chart.Images {
			paths = append(paths, image.Reference, image.Registry, image.Repository, image.Name, image.Tag, image.Digest)
		}
		for _, path := range paths {
			for value := range set {
				if strings.HasPrefix(path, value+".") {
					t.Errorf("%s: %s leads through the value at %s", chart.Name, path, value)
				}
			}
		}
	}
}

func TestTheEntriesThatTheResourcesNeed(t *testing.T) {
	for _, name := range []string{
		"amd-device-plugin", "ascend-device-plugin", "cert-manager", "dcgm-exporter", "gpu-operator", "haproxy-ingress",
		"ingress-nginx", "jupyterhub", "keda", "kong", "kube-prometheus-stack", "kubeflow-trainer", "kueue", "metallb",
		"minio", "mlflow", "mysql-operator", "node-feature-discovery", "nvidia-device-plugin", "nvidia-network-operator",
		"rdma-shared-device-plugin", "rook-ceph", "rook-ceph-cluster", "seaweedfs", "traefik", "volcano", "volcano-dashboard",
	} {
		if _, ok := ChartNamed(name); !ok {
			t.Errorf("there is no entry %s", name)
		}
	}
}

func ExampleChartNamed() {
	chart, _ := ChartNamed("rdma-shared-device-plugin")
	fmt.Println(chart.Installable())
	chart, _ = ChartNamed("nvidia-device-plugin")
	fmt.Println(chart.Source.Name, chart.Source.Version)
	// Output:
	// false
	// nvidia-device-plugin 0.17.4
}
