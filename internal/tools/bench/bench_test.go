// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func TestDispatchedCountsOnlyTheFlowSchema(t *testing.T) {
	metrics := `# TYPE apiserver_flowcontrol_dispatched_requests_total counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="trainyard-bench",priority_level="workload-high"} 1.2e+03
apiserver_flowcontrol_dispatched_requests_total{flow_schema="trainyard-bench",priority_level="exempt"} 4
apiserver_flowcontrol_dispatched_requests_total{flow_schema="exempt",priority_level="exempt"} 900
apiserver_flowcontrol_rejected_requests_total{flow_schema="trainyard-bench",priority_level="exempt"} 7
`
	got, err := dispatched(metrics, identity)
	if err != nil {
		t.Fatal(err)
	}
	if got != 1204 {
		t.Errorf("got %d requests, want 1204", got)
	}
}

func TestDispatchedRefusesWhatIsNoNumber(t *testing.T) {
	_, err := dispatched(`apiserver_flowcontrol_dispatched_requests_total{flow_schema="trainyard-bench"} many`, identity)
	if err == nil {
		t.Error("got no error")
	}
}

func TestMedian(t *testing.T) {
	tests := map[string]struct {
		values []float64
		want   float64
	}{
		"of none is zero":                      {nil, 0},
		"of an odd number is the middle":       {[]float64{9, 1, 2}, 2},
		"of an even number is the mean of two": {[]float64{4, 1, 2, 9}, 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := median(test.values); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestParsePeakReadsOnlyProviders(t *testing.T) {
	tests := map[string]struct {
		status string
		want   int
	}{
		"a provider":      {"Name:\tterraform-provi\nVmPeak:\t  999 kB\nVmHWM:\t   20480 kB\n", 20480},
		"another program": {"Name:\tkubectl\nVmHWM:\t   20480 kB\n", 0},
		"a zombie":        {"Name:\tterraform-provi\nState:\tZ\n", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := parsePeak(test.status); got != test.want {
				t.Errorf("got %d KiB, want %d", got, test.want)
			}
		})
	}
}
