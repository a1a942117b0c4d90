// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestEveryModelIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Models() {
		if problems := validation.IsDNS1123Label(m.Name); len(problems) > 0 || seen[m.Name] {
			t.Errorf("%q is no name of its own: %v", m.Name, problems)
		}
		seen[m.Name] = true
		if m.Title == "" || m.Vendor == "" || m.Generation == "" || m.Link == "" || len(m.Products) == 0 {
			t.Errorf("%s lacks something: %+v", m.Name, m)
		}
		if !IsAccelerator(m.Resource) {
			t.Errorf("%s is offered as %q, which counts no accelerators", m.Name, m.Resource)
		}
		if m.MemoryGB <= 0 || m.MemoryGBps <= 0 || m.LinkGBps <= 0 {
			t.Errorf("%s has an amount that is not positive: %+v", m.Name, m)
		}
		if (m.Vendor == "nvidia") != (m.TensorCores > 0) {
			t.Errorf("%s: tensor cores are NVIDIA's", m.Name)
		}
	}
}

// The memory of all partitions of one kind is never more than that of the whole.
func TestPartitionsFitTheirModel(t *testing.T) {
	form := regexp.MustCompile(`^([1-7])g\.(\d+)gb$`)
	for _, m := range Models() {
		for profile, count := range m.MIG {
			parts := form.FindStringSubmatch(profile)
			if parts == nil {
				t.Errorf("%s: %q is no MIG profile", m.Name, profile)
				continue
			}
			slices, _ := strconv.Atoi(parts[1])
			memory, _ := strconv.Atoi(parts[2])
			if slices*count > 7 || memory*count > m.MemoryGB+count { // names round up
				t.Errorf("%s: %d of %s do not fit", m.Name, count, profile)
			}
		}
	}
}

func TestModelOfAProduct(t *testing.T) {
	for product, want := range map[string]string{
		"NVIDIA-H100-80GB-HBM3":             "h100",
		"NVIDIA-H100-80GB-HBM3-SHARED":      "h100",
		"NVIDIA-H100-80GB-HBM3-MIG-1g.10gb": "h100",
		"NVIDIA-H100-NVL":                   "h100-nvl",
		"NVIDIA-H200":                       "h200",
		"NVIDIA-H20":                        "h20",
		"NVIDIA-A100-SXM4-40GB":             "a100-40gb",
		"NVIDIA-A100-SXM4-80GB":             "a100-80gb",
		"NVIDIA-A100-80GB-PCIe":             "a100-80gb",
		"NVIDIA-A800-SXM4-80GB":             "a800",
		"NVIDIA-GB200":                      "gb200",
		"NVIDIA-B200":                       "b200",
		"NVIDIA-L4":                         "l4",
		"NVIDIA-L40S":                       "l40s",
		"Tesla-T4":                          "t4",
		"tpu-v5p-slice":                     "tpu-v5p",
		"NVIDIA-GeForce-RTX-4090":           "",
		"":                                  "",
		"NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition-SHARED": "rtx-pro-6000",
	} {
		model, found := ModelOf(product)
		if model.Name != want || found != (want != "") {
			t.Errorf("%q is %q, want %q", product, model.Name, want)
		}
	}
}

func TestProfilesAreInOrder(t *testing.T) {
	h100, _ := ModelNamed("h100")
	if diff := cmp.Diff("1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb", strings.Join(h100.Profiles(), " ")); diff != "" {
		t.Error(diff)
	}
}

func FuzzFits(f *testing.F) {
	f.Add("a*b*c", "axbxc")
	f.Add("*", "")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, "(?s:.*)")
		want, err := regexp.MatchString(`\A(?:`+quoted+`)\z`, text)
		if err == nil && fits(pattern, text) != want {
			t.Errorf("fits(%q, %q) = %v", pattern, text, !want)
		}
	})
}
