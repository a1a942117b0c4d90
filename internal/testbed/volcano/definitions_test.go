// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefinitionsOfAFolderComeBesideOurs(t *testing.T) {
	ours, err := Definitions()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := "metadata: {name: queues.scheduling.volcano.sh, labels: {version: other}}\n---\nmetadata: {name: nodeshards.shard.volcano.sh}\n"
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs, err := definitionsIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, definition := range overlay(ours, theirs) {
		if _, twice := all[definition.Name]; twice {
			t.Errorf("%s is there twice", definition.Name)
		}
		all[definition.Name] = definition.Labels["version"]
	}
	if diff := cmp.Diff("other", all["queues.scheduling.volcano.sh"]); diff != "" {
		t.Errorf("the queue's (-want +got):\n%s", diff)
	}
	if _, beside := all["nodeshards.shard.volcano.sh"]; !beside || len(all) != 10 {
		t.Errorf("%d definitions: %v", len(all), all)
	}
	for _, none := range []string{"", filepath.Join(dir, "absent")} {
		if found, err := definitionsIn(none); err != nil || len(found) > 0 {
			t.Errorf("%q: %v, %v", none, found, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.yaml"), []byte("a: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := definitionsIn(dir); err == nil {
		t.Error("a file that is no YAML was read")
	}
}
