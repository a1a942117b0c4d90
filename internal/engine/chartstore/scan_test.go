// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// indexFile is an index as Helm has it in memory.
type indexFile struct {
	APIVersion string                  `json:"apiVersion"`
	Entries    map[string][]IndexEntry `json:"entries"`
	Generated  string                  `json:"generated"`
}

// scanAll gives what the scanner finds of a chart.
func scanAll(body io.Reader, name string) (entries []IndexEntry, listed bool, err error) {
	listed, err = scanIndex(body, name, func(text []byte) (bool, error) {
		parsed, err := parseEntries(text)
		entries = append(entries, parsed...)
		return false, err
	})
	return entries, listed, err
}

func TestScanOfIndexes(t *testing.T) {
	want := []IndexEntry{{Name: "queue", Version: "1.2.0", URLs: []string{"a.tgz"}}, {Name: "queue", Version: "1.1.0", URLs: []string{"b.tgz"}}}
	tests := map[string]string{
		"lists as deep as their key":  "apiVersion: v1\nentries:\n  ant:\n  - name: ant\n  queue:\n  - name: queue\n    version: 1.2.0\n    urls:\n    - a.tgz\n  - name: queue\n    version: 1.1.0\n    urls:\n    - b.tgz\n  zoo:\n  - name: zoo\n",
		"lists deeper than their key": "apiVersion: v1\nentries:\n  queue:\n    - name: queue\n      version: 1.2.0\n      urls:\n        - a.tgz\n    -\n      name: queue\n      version: 1.1.0\n      urls: [b.tgz]\n  zoo:\n    - name: zoo\n",
		"comments and empty lines":    "# made by hand\n---\napiVersion: v1\n\nentries: # of charts\n# first\n\n    \"queue\": # of jobs\n# between\n    - name: queue\n\n      version: 1.2.0\n# within\n      urls: [a.tgz]\n\n    - {name: queue, version: 1.1.0, urls: [b.tgz]}\n    # end\ngenerated: now\n",
		"Windows line ends":           "apiVersion: v1\r\nentries:\r\n  'queue':\r\n  - name: queue\r\n    version: 1.2.0\r\n    urls: [a.tgz]\r\n  - name: queue\r\n    version: 1.1.0\r\n    urls: [b.tgz]\r\n",
		"a byte order mark":           "\xef\xbb\xbfapiVersion: v1\nentries:\n  queue:\n  - {name: queue, version: 1.2.0, urls: [a.tgz]}\n  - {name: queue, version: 1.1.0, urls: [b.tgz]}",
		"a list on the key's line":    "apiVersion: v1\nentries:\n  queue: [{name: queue, version: 1.2.0, urls: [a.tgz]},\n    {name: queue, version: 1.1.0, urls: [b.tgz]}]\n  zoo: []\n",
		"text that looks like keys":   "apiVersion: v1\nentries:\n  ant:\n  - name: ant\n    description: |\n      entries:\n        queue:\n        - name: wrong\n\n      # no comment\n    keywords: ['queue: ']\n  queue:\n  - name: queue\n    description: |-\n      - name: wrong\n      zoo:\n    version: 1.2.0\n    urls: [a.tgz]\n  - name: queue\n    version: 1.1.0\n    urls: [b.tgz]\n",
		"entries last":                "generated: now\nentries:\n  queue:\n  - {name: queue, version: 1.2.0, urls: [a.tgz]}\n  - {name: queue, version: 1.1.0, urls: [b.tgz]}\n",
		"JSON":                        `{"apiVersion":"v1","generated":{"a":[1,{}]},"entries":{"ant":[{"urls":["x"]}],"queue":[{"name":"queue","version":"1.2.0","urls":["a.tgz"]},{"name":"queue","version":"1.1.0","urls":["b.tgz"]}]}}`,
		"JSON with space before it":   "\n  {\"entries\": {\"queue\": [{\"name\":\"queue\",\"version\":\"1.2.0\",\"urls\":[\"a.tgz\"]},\n{\"name\":\"queue\",\"version\":\"1.1.0\",\"urls\":[\"b.tgz\"]}]}}",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			got, listed, err := scanAll(strings.NewReader(text), "queue")
			if diff := cmp.Diff(want, got); err != nil || !listed || diff != "" {
				t.Errorf("listed %t, %v, entries (-want +got):\n%s", listed, err, diff)
			}
			if strings.HasPrefix(strings.TrimSpace(text), "{") {
				return
			}
			for _, absent := range []string{"absent", "name", "entries", "wrong"} {
				if _, listed, err := scanAll(strings.NewReader(text), absent); listed || err != nil {
					t.Errorf("%s: listed %t, %v", absent, listed, err)
				}
			}
		})
	}
}

func TestScanOfWhatIsNoIndex(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "spaces": " \n \n", "a page": "<html>\n<body>\n", "text": "not found\n", "other YAML": "kind: Pod\nmetadata:\n  name: entries\n",
		"other JSON": `{"error":"not found"}`,
	} {
		if _, listed, err := scanAll(strings.NewReader(text), "queue"); listed || !errors.Is(err, errNoIndex) {
			t.Errorf("%s: listed %t, %v", name, listed, err)
		}
	}
	for name, text := range map[string]string{
		"flow style": "apiVersion: v1\nentries: {queue: []}\n", "JSON that ends early": `{"entries":{"queue":[{"name":"queue"}`, "JSON that breaks": `{"entries":{"queue":[}`,
		"entries of another kind": `{"entries":{"queue":{}}}`, "a broken entry": "apiVersion: v1\nentries:\n  queue:\n  - name: [\n",
	} {
		if _, _, err := scanAll(strings.NewReader(text), "queue"); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for name, text := range map[string]string{
		"no entries": "apiVersion: v1\n", "empty entries": "apiVersion: v1\nentries: {}\n", "null entries": "apiVersion: v1\nentries:\ngenerated: now\n",
		"empty entries in JSON": `{"entries":{}}`, "null entries in JSON": `{"entries":null}`,
	} {
		if entries, listed, err := scanAll(strings.NewReader(text), "queue"); listed || err != nil || entries != nil {
			t.Errorf("%s: %v, listed %t, %v", name, entries, listed, err)
		}
	}
}

// generate makes an index with odd text in every place where text can stand.
func generate(seed uint64, odd string) indexFile {
	random := rand.New(rand.NewPCG(seed, 0))
	texts := []string{odd, "plain", "a: b", "- item", "# no comment", "|", "two\nlines\n  deeper\n", "\n- item\nentries:\n  queue:\n", "'quoted' \"twice\"", "key:\n  value", "tab\there", strings.Repeat("long ", 40), "ünïcode ☃", "1.2.0", "trailing \n \n", "{flow}", "[flow]", "&anchor *alias !tag", "---\n...\n", "\r\n"}
	text := func() string { return texts[random.IntN(len(texts))] }
	index := indexFile{APIVersion: "v1", Entries: map[string][]IndexEntry{}, Generated: "2026-01-01T00:00:00Z"}
	for _, name := range []string{"queue", "ant", "zoo", "true", "123", "1.5", "a.b_c-d", "null", "x" + fmt.Sprint(random.IntN(100))} {
		if random.IntN(4) == 0 {
			continue
		}
		entries := []IndexEntry{}
		for i := range random.IntN(4) {
			entries = append(entries, IndexEntry{Name: name, Version: fmt.Sprintf("1.%d.0", i), AppVersion: text(), KubeVersion: text(), Created: text(), Digest: text(), URLs: []string{text(), text()}[:random.IntN(3)]})
		}
		index.Entries[name] = entries
	}
	return index
}

func FuzzScanAgreesWithFullParse(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed, "odd")
	}
	f.Add(uint64(1), "multi\n\n\n  lines: x\n- y\n")
	f.Fuzz(func(t *testing.T, seed uint64, odd string) {
		index := generate(seed, odd)
		asYAML, err := yaml.Marshal(index)
		if err != nil {
			return // text that YAML cannot carry
		}
		var whole indexFile
		if err := yaml.Unmarshal(asYAML, &whole); err != nil {
			return // text that YAML cannot carry
		}
		asJSON, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"queue", "ant", "true", "123", "1.5", "a.b_c-d", "null", "absent"} {
			want, wanted := whole.Entries[name]
			for kind, text := range map[string][]byte{"YAML": asYAML, "JSON": asJSON} {
				got, listed, err := scanAll(strings.NewReader(string(text)), name)
				if err != nil || listed != wanted || (len(got)+len(want) > 0 && !cmp.Equal(got, want)) {
					t.Fatalf("%s of %s: listed %t, %v\n%s\nin\n%s", name, kind, listed, err, cmp.Diff(want, got), text)
				}
			}
		}
	})
}

// FuzzScanSurvives: an index may hold anything.
func FuzzScanSurvives(f *testing.F) {
	f.Add("apiVersion: v1\nentries:\n  queue:\n  - name: queue\n")
	f.Add(`{"entries":{"queue":[{}]}}`)
	f.Fuzz(func(_ *testing.T, text string) {
		_, _, _ = scanAll(strings.NewReader(text), "queue")
	})
}

// bigIndex is about 27 MB, like the largest public indexes: many charts of many versions,
// the first of them with a large icon within.
func bigIndex(asJSON bool) string {
	before, chart, entry, between, behind := "apiVersion: v1\nentries:\n", "  %s:\n", "  - apiVersion: v2\n    description: %s\n    digest: %s\n    name: %s\n    urls:\n    - https://charts.example.com/%[3]s-%[4]s.tgz\n    version: %[4]s\n", "", ""
	if asJSON {
		before, chart, entry, between, behind = `{"apiVersion":"v1","entries":{`, `"%s":[`, `{"apiVersion":"v2","description":"%s","digest":"%s","name":"%s","urls":["https://charts.example.com/%[3]s-%[4]s.tgz"],"version":"%[4]s"}`, ",", "]"
	}
	var text strings.Builder
	text.WriteString(before)
	digest, description := strings.Repeat("ab", 32), strings.Repeat("icon", 1<<18)
	for i := range charts {
		name := fmt.Sprintf("chart-%03d", i)
		fmt.Fprintf(&text, chart, name)
		for version := range versions {
			fmt.Fprintf(&text, entry, description, digest, name, fmt.Sprintf("1.%d.0", versions-version))
			description = strings.Repeat("what this chart is for and how it is used, ", 10)
			if version < versions-1 {
				text.WriteString(between)
			}
		}
		text.WriteString(behind)
		if i < charts-1 {
			text.WriteString(between)
		}
	}
	if asJSON {
		text.WriteString("}}")
	}
	return text.String()
}

const charts, versions = 240, 170

// peak samples the heap while body is read.
type peak struct {
	io.Reader
	reads int
	max   uint64
}

func (p *peak) Read(b []byte) (int, error) {
	if p.reads++; p.reads%16 == 0 {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		p.max = max(p.max, memory.HeapAlloc)
	}
	return p.Reader.Read(b)
}

// The index of a public repository has 27 MB, and a whole parse of it needs more than 500 MiB.
func TestBigIndexNeedsLittleMemory(t *testing.T) {
	const mib = 1 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // what is garbage by then does not count
	for kind, asJSON := range map[string]bool{"YAML": false, "JSON": true} {
		text := bigIndex(asJSON)
		if len(text) < 24*mib {
			t.Fatalf("the index has only %d MiB", len(text)/mib)
		}
		var before, after runtime.MemStats
		runtime.GC()
		sampled := &peak{Reader: strings.NewReader(text)}
		runtime.ReadMemStats(&before)
		search := newSearch(Source{Repository: "https://charts.example.com", Name: "chart-239", Version: "1.1.0"})
		if err := search.in(sampled); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if entry, err := search.result(); err != nil || entry.Version != "1.1.0" {
			t.Fatalf("%s: %+v, %v", kind, entry, err)
		}
		grown := int64(sampled.max) - int64(before.HeapAlloc)
		if grown > 32*mib {
			t.Errorf("%s: the heap grew by %d MiB", kind, grown/mib)
		}
		if total := after.TotalAlloc - before.TotalAlloc; !asJSON && total > 32*mib {
			t.Errorf("%s: %d MiB were allocated in all", kind, total/mib)
		}
		t.Logf("%s: index of %.1f MB, heap grew by %.1f MiB, %.1f MiB allocated in all", kind, float64(len(text))/1e6, float64(grown)/mib, float64(after.TotalAlloc-before.TotalAlloc)/mib)
	}
}

func BenchmarkBigIndex(b *testing.B) {
	text := bigIndex(false)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		search := newSearch(Source{Repository: "https://charts.example.com", Name: "chart-239", Version: "1.1.0"})
		if err := search.in(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
