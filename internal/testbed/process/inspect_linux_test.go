// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package process

import "testing"

func TestParseStatCountsFieldsFromTheLastBracket(t *testing.T) {
	const rest = " 1 10 10 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 8765 100 1"
	tests := map[string]struct {
		stat, state, started string
		fails                bool
	}{
		"plain name":                  {stat: "10 (etcd) S" + rest, state: "S", started: "8765"},
		"name with blanks and braces": {stat: "10 (a b) R (c) Z" + rest, state: "Z", started: "8765"},
		"too short":                   {stat: "10 (etcd) S 1", fails: true},
		"no name":                     {stat: "", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state, started, err := parseStat(test.stat)
			if (err != nil) != test.fails {
				t.Fatalf("error %v, want one: %t", err, test.fails)
			}
			if state != test.state || started != test.started {
				t.Errorf("got state %q started %q, want %q %q", state, started, test.state, test.started)
			}
		})
	}
}

func TestAReplacedProgramIsStillThatProgram(t *testing.T) {
	if !(found{exe: "/bin/testbed (deleted)"}).runs("/bin/testbed") {
		t.Error("a process whose file was replaced is not known again")
	}
}
