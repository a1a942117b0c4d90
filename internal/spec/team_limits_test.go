// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestContainerDefaultsFollowFromTheOtherLimits(t *testing.T) {
	for _, c := range []struct {
		name           string
		given          ContainerLimits
		limit, request Resources
	}{
		{"nothing follows from nothing", ContainerLimits{}, nil, nil},
		{
			"the limit is the maximum, and the request is the limit",
			ContainerLimits{Max: Resources{"cpu": "4"}},
			Resources{"cpu": "4"},
			Resources{"cpu": "4"},
		},
		{
			"the request is the limit",
			ContainerLimits{Default: Resources{"cpu": "2"}, Max: Resources{"cpu": "4"}, Min: Resources{"cpu": "1"}},
			Resources{"cpu": "2"},
			Resources{"cpu": "2"},
		},
		{
			"the request is the minimum where there is no limit",
			ContainerLimits{Min: Resources{"cpu": "1"}},
			nil,
			Resources{"cpu": "1"},
		},
		{
			"a request that is given stays",
			ContainerLimits{DefaultRequest: Resources{"cpu": "1"}, Max: Resources{"cpu": "4"}},
			Resources{"cpu": "4"},
			Resources{"cpu": "1"},
		},
		{
			"no device is handed out for a maximum",
			ContainerLimits{Max: Resources{"nvidia.com/gpu": "8"}},
			Resources{"nvidia.com/gpu": "0"},
			Resources{"nvidia.com/gpu": "0"},
		},
		{
			"the minimum of a device is its default",
			ContainerLimits{Min: Resources{"nvidia.com/gpu": "1"}, Max: Resources{"nvidia.com/gpu": "8"}},
			Resources{"nvidia.com/gpu": "1"},
			Resources{"nvidia.com/gpu": "1"},
		},
		{
			"huge pages are limited to what they request",
			ContainerLimits{DefaultRequest: Resources{"hugepages-2Mi": "4Mi"}, Max: Resources{"hugepages-2Mi": "8Mi"}},
			Resources{"hugepages-2Mi": "4Mi"},
			Resources{"hugepages-2Mi": "4Mi"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := c.given
			got := c.given.Complete()
			if diff := cmp.Diff([]Resources{c.limit, c.request}, []Resources{got.Default, got.DefaultRequest}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("limit and request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, c.given); diff != "" {
				t.Errorf("Complete changed its receiver:\n%s", diff)
			}
			if diff := cmp.Diff(got, got.Given().Complete(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("what is given and completed is not the same (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefaultsThatFollowAreNotGiven(t *testing.T) {
	got := ContainerLimits{
		Default:        Resources{"cpu": "4000m", "memory": "1Gi"},
		DefaultRequest: Resources{"cpu": "4", "memory": "512Mi"},
		Max:            Resources{"cpu": "4"},
	}.Given()
	want := ContainerLimits{
		Default:        Resources{"memory": "1Gi"},
		DefaultRequest: Resources{"memory": "512Mi"},
		Max:            Resources{"cpu": "4"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("given limits (-want +got):\n%s", diff)
	}
}
