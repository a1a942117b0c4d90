// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestRenderedNodes(t *testing.T) {
	for _, accelerator := range []string{"h100", "t4", "cpu"} {
		t.Run(accelerator, func(t *testing.T) {
			nodes, err := Render([]Pool{{accelerator, 1}}, "v1.36.3")
			if err != nil {
				t.Fatal(err)
			}
			got, err := yaml.Marshal(nodes[0])
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", accelerator+".yaml")
			if *update {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("node differs from %s (-want +got), rewrite with -update:\n%s", golden, diff)
			}
		})
	}
}

func TestEveryAcceleratorGivesAValidNode(t *testing.T) {
	for _, name := range Accelerators() {
		nodes, err := Render([]Pool{{name, 2}}, "v1.36.3")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for key, value := range nodes[1].Labels {
			for _, problem := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...) {
				t.Errorf("%s: label %s=%s: %s", name, key, value, problem)
			}
		}
		if free := nodes[1].Status.Allocatable.Cpu(); free.Sign() <= 0 {
			t.Errorf("%s: allocatable CPU is %s", name, free)
		}
	}
}

func TestNodesOfSeveralPoolsHaveTheirOwnNamesAndAddresses(t *testing.T) {
	nodes, err := Render([]Pool{{"h100", 300}, {"cpu", 2}}, "v1.36.3")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, node := range nodes {
		for _, key := range []string{node.Name, node.Status.Addresses[0].Address} {
			if seen[key] {
				t.Errorf("%s is there twice", key)
			}
			seen[key] = true
		}
	}
}

func TestParsePool(t *testing.T) {
	tests := map[string]struct {
		text  string
		want  Pool
		error string
	}{
		"plain":                {text: "h100=8", want: Pool{"h100", 8}},
		"upper case":           {text: "A100=4", want: Pool{"a100", 4}},
		"empty pool":           {text: "cpu=0", want: Pool{"cpu", 0}},
		"no number":            {text: "h100", error: "accelerator=nodes"},
		"not a number":         {text: "h100=many", error: `"many" is not a number`},
		"negative":             {text: "h100=-1", error: "0 or more"},
		"unknown accelerator":  {text: "k80=1", error: "use one of a100"},
		"more than Kubernetes": {text: "h100=5001", error: "holds 5000"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParsePool(test.text)
			if test.error != "" {
				if err == nil || !strings.Contains(err.Error(), test.error) {
					t.Fatalf("got error %v, want one with %q", err, test.error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func FuzzParsePool(f *testing.F) {
	f.Add("h100=8")
	f.Add("=")
	f.Fuzz(func(t *testing.T, text string) {
		pool, err := ParsePool(text)
		if err == nil && Validate([]Pool{pool}) != nil {
			t.Errorf("%q was accepted as %+v, which is not valid", text, pool)
		}
	})
}

func TestReconcile(t *testing.T) {
	ctx := context.Background()
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "somebody-elses"}}).CoreV1().Nodes()
	three, err := Render([]Pool{{"h100", 3}}, "v1.36.3")
	if err != nil {
		t.Fatal(err)
	}
	if err := Reconcile(ctx, client, three); err != nil {
		t.Fatal(err)
	}

	changed, err := client.Get(ctx, "h100-000", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	delete(changed.Labels, "nvidia.com/gpu.product")
	changed.Labels["mine"] = "kept"
	changed.Status.Capacity[GPUResource] = resource.MustParse("0")
	if _, err := client.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := Reconcile(ctx, client, three[:2]); err != nil {
		t.Fatal(err)
	}

	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]corev1.Node{}
	for _, node := range list.Items {
		names[node.Name] = node
	}
	restored := names["h100-000"]
	if len(names) != 3 || names["somebody-elses"].Name == "" {
		t.Errorf("the nodes are %v", names)
	}
	if restored.Labels["nvidia.com/gpu.product"] != "NVIDIA-H100-80GB-HBM3" || restored.Labels["mine"] != "kept" {
		t.Errorf("the labels are %v", restored.Labels)
	}
	if gpus := restored.Status.Capacity[GPUResource]; gpus.Value() != 8 {
		t.Errorf("the capacity is %s GPUs", gpus.String())
	}
}
